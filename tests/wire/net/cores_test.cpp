// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <boost/asio/post.hpp>
#include <future>

namespace partita::wire {
namespace {

TEST(Cores, DoNotInterruptWhoComputes) {
  std::promise<int> policy;
  Cores cores(1);
  boost::asio::post(cores[0].io, [&policy] { policy.set_value(::sched_getscheduler(0)); });
  EXPECT_EQ(policy.get_future().get(), SCHED_BATCH);
}

}  // namespace
}  // namespace partita::wire
