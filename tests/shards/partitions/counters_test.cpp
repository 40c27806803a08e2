// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/counters.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "shards/log/position.h"

namespace partita::shards {
namespace {

constexpr Growth kOne{.documents = 1, .bytes = 100};

TEST(Counters, SizeAsOfTheBoundaryLeavesOutWhatCameAfter) {
  Counters counters;
  counters.add(kOne, 5, 0);
  counters.add(kOne, 11, 10);
  EXPECT_EQ(counters.at(10).documents, 1);
  EXPECT_EQ(counters.total().documents, 2);
  EXPECT_EQ(counters.total().bytes, 200);
}

// A writer may read the boundary, be put to sleep while a checkpoint draws the next one, and count only then.
TEST(Counters, AnOlderBoundaryNeverReplacesANewerOne) {
  Counters counters;
  counters.add(kOne, 11, 10);
  counters.add(kOne, 9, 0);
  EXPECT_EQ(counters.at(10).documents, 1);
  counters.add(kOne, 12, 10);
  EXPECT_EQ(counters.at(10).documents, 1);
  EXPECT_EQ(counters.total().documents, 3);
}

/// The steps of real writes and real checkpoints with nothing between them: a position is taken, the boundary is read,
/// the change is counted, the position is done.
TEST(Counters, AgreeWithEveryCheckpointWhileManyWrite) {
  constexpr int kWriters = 4;
  constexpr int kEach = 5'000;
  SystemWallClock wall;
  HybridClock clock(wall);
  Positions positions(clock);
  Counters counters;
  std::atomic<Time> boundary{0};
  std::atomic<int> writing{kWriters};

  const auto write = [&](int number) {
    for (int i = 0; i < kEach; ++i) {
      const Position position = positions.take(kDataLog);
      const Time seen = boundary.load(std::memory_order_acquire);
      if ((i + number) % 16 == 0) std::this_thread::yield();  // Here the next boundary is drawn.
      counters.add(kOne, position.commit_time, seen);
      positions.done(position);
    }
    writing.fetch_sub(1);
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < kWriters; ++i) threads.emplace_back(write, i);
  int checkpoints = 0;
  while (writing.load() > 0) {
    std::int64_t before = 0;
    const Time drawn = positions.boundary([&](Time time, const std::vector<Sequence>& next) {
      boundary.store(time, std::memory_order_release);
      before = static_cast<std::int64_t>(next[1]) - 1;
    });
    positions.wait_visible(drawn);
    ASSERT_EQ(counters.at(drawn).documents, before) << "checkpoint " << checkpoints;
    ++checkpoints;
  }
  EXPECT_GT(checkpoints, 10);
  EXPECT_EQ(counters.total().documents, kWriters * kEach);
}

}  // namespace
}  // namespace partita::shards
