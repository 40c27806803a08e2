// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <boost/asio/post.hpp>
#include <chrono>
#include <future>
#include <thread>

namespace partita::wire {
namespace {

TEST(Cores, DoNotInterruptWhoComputes) {
  std::promise<int> policy;
  Cores cores(1);
  boost::asio::post(cores[0].io, [&policy] { policy.set_value(::sched_getscheduler(0)); });
  EXPECT_EQ(policy.get_future().get(), SCHED_BATCH);
}

/// Asks on the core's own thread.
bool has_large(Core& core) {
  std::promise<bool> answer;
  boost::asio::post(core.io, [&] { answer.set_value(!core.large.empty()); });
  return answer.get_future().get();
}

TEST(Cores, KeepLargeBuffersForAMoment) {
  Cores cores(1);
  for (int round = 0; round < 2; ++round) {
    boost::asio::post(cores[0].io, [&] { cores[0].give_back(bson::Buffer(1 << 20)); });
    EXPECT_TRUE(has_large(cores[0]));
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (has_large(cores[0]) && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(has_large(cores[0]));
  }
}

}  // namespace
}  // namespace partita::wire
