// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/position.h"

#include <gtest/gtest.h>

#include <thread>

namespace partita::shards {
namespace {

class FixedWall final : public WallClock {
 public:
  std::int64_t now_ms() const override { return 1'000'000; }
};

TEST(Positions, GrowInTimeAlongEveryLog) {
  const FixedWall wall;
  HybridClock clock(wall);
  Positions positions(clock);
  const Position a = positions.take(kDataLog);
  const Position b = positions.take(kCatalogLog);
  const Position c = positions.take(kDataLog);
  EXPECT_LT(a.commit_time, b.commit_time);
  EXPECT_LT(b.commit_time, c.commit_time);
  EXPECT_EQ(c.sequence, a.sequence + 1);
  EXPECT_EQ(seconds_of(a.commit_time), 1000u);
}

TEST(Positions, ShowNothingBehindTheFirstInFlight) {
  const FixedWall wall;
  HybridClock clock(wall);
  Positions positions(clock);
  const Position a = positions.take(kDataLog);
  const Position b = positions.take(kDataLog);
  positions.done(b);
  EXPECT_LT(positions.visible(), a.commit_time);
  positions.done(a);
  EXPECT_EQ(positions.visible(), b.commit_time);
}

TEST(Positions, BoundaryLiesBetweenBeforeAndAfter) {
  const FixedWall wall;
  HybridClock clock(wall);
  Positions positions(clock);
  const Position before = positions.take(kDataLog);
  Sequence next = 0;
  const Time boundary = positions.boundary([&](Time, const std::vector<Sequence>& sequences) { next = sequences[1]; });
  const Position after = positions.take(kDataLog);
  EXPECT_EQ(next, after.sequence);
  EXPECT_LT(before.commit_time, boundary);
  EXPECT_LT(boundary, after.commit_time);
  EXPECT_LT(positions.visible(), boundary);
  positions.done(before);
  EXPECT_GE(positions.visible(), boundary);
}

TEST(Positions, ReadTimeWaitsForWhatWasAcknowledged) {
  const FixedWall wall;
  HybridClock clock(wall);
  Positions positions(clock);
  constexpr int kWriters = 4;
  constexpr int kEach = 2000;
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      const Time time = positions.read_time();
      EXPECT_GE(positions.visible(), time);
    }
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const Position position = positions.take(kDataLog);
        positions.done(position);
        // Acknowledged now: a reader that begins now has to see it.
        EXPECT_GE(positions.read_time(), position.commit_time);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  stop = true;
  reader.join();
  EXPECT_EQ(positions.next_sequence(kDataLog), 1u + kWriters * kEach);
}

TEST(Positions, OneThatTakesLongHidesNothingHoweverManyPassIt) {
  const FixedWall wall;
  HybridClock clock(wall);
  Positions positions(clock);
  const Position slow = positions.take(kDataLog, 0, 8);
  const Position other = positions.take(kDataLog, 8, 8);
  Place place = 16;
  for (std::size_t i = 0; i < 3 * Positions::kWindow; ++i, place += 8) positions.done(positions.take(kDataLog, place, 8));
  const Position open = positions.take(kDataLog, place, 8);
  positions.done(slow);
  EXPECT_LT(positions.visible(), other.commit_time);
  EXPECT_EQ(positions.settled_place(), other.place);
  positions.done(other);
  EXPECT_EQ(positions.settled_place(), open.place);
  positions.done(open);
  EXPECT_EQ(positions.visible(), open.commit_time);
  EXPECT_EQ(positions.settled_place(), place + 8);
}

}  // namespace
}  // namespace partita::shards
