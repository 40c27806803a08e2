// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace partita::wire {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(Gate, CountsWhoIsInside) {
  Gate gate;
  auto first = gate.enter();
  ASSERT_TRUE(first);
  {
    auto second = gate.enter();
    EXPECT_EQ(gate.inside(), 2U);
  }
  EXPECT_EQ(gate.inside(), 1U);
  const Gate::Pass moved = std::move(*first);
  first.reset();
  EXPECT_EQ(gate.inside(), 1U);
}

TEST(Gate, LetsNobodyInOnceShut) {
  Gate gate;
  gate.shut();
  EXPECT_FALSE(gate.enter());
}

TEST(Gate, CloseWaitsForTheLastPass) {
  Gate gate;
  std::atomic<bool> left{false};
  std::thread worker([&left, pass = gate.enter()]() mutable {
    std::this_thread::sleep_for(milliseconds(20));
    left = true;
    pass.reset();
  });
  gate.close();
  EXPECT_TRUE(left);
  worker.join();
}

TEST(Gate, CloseUntilGivesUpAtTheDeadline) {
  Gate gate;
  auto pass = gate.enter();
  EXPECT_FALSE(gate.close_until(steady_clock::now() + milliseconds(10)));
  pass.reset();
  EXPECT_TRUE(gate.close_until(steady_clock::now() + milliseconds(10)));
}

}  // namespace
}  // namespace partita::wire
