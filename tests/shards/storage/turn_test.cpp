// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/turn.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace partita::shards {
namespace {

TEST(Turn, IsOneAtATime) {
  Turn turn;
  int count = 0;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        Turn::Lock lock;
        while (!lock.owns_lock()) lock = turn.take();
        ++count;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(count, 4000);
}

/// Whoever has it may wait for something that only those behind can end.
TEST(Turn, IsNotWaitedForForEver) {
  Turn turn;
  const Turn::Lock held = turn.take();
  ASSERT_TRUE(held.owns_lock());
  std::jthread([&] { EXPECT_FALSE(turn.take().owns_lock()); }).join();
}

}  // namespace
}  // namespace partita::shards
