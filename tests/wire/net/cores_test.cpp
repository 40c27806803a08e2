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
  boost::asio::post(cores[0].io, [&policy] { policy.set_value(::sched_getscheduler(0) & ~SCHED_RESET_ON_FORK); });
  EXPECT_EQ(policy.get_future().get(), SCHED_BATCH);
}

TEST(Cores, StartThreadsThatMay) {
  std::promise<int> policy;
  std::thread started;
  Cores cores(1);
  const auto start = [&] { started = std::thread([&policy] { policy.set_value(::sched_getscheduler(0)); }); };
  boost::asio::post(cores[0].io, start);
  EXPECT_EQ(policy.get_future().get(), SCHED_OTHER);
  cores.stop();
  started.join();
}

}  // namespace
}  // namespace partita::wire
