// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/eviction_pace.h"

#include <gtest/gtest.h>

namespace partita::shards {
namespace {

using std::chrono::milliseconds;

/// A clock and a count of bytes that move together.
class EvictionPaceTest : public testing::Test {
 protected:
  /// What is asked for within that time, while so much is written in each tenth of a second.
  std::vector<Eviction> wishes(int tenths, std::uint64_t bytes) {
    std::vector<Eviction> wishes;
    for (int i = 0; i < tenths; ++i) {
      now_ += milliseconds(100);
      written_ += bytes;
      if (const auto wish = pace_.look(now_, written_)) wishes.push_back(*wish);
    }
    return wishes;
  }

  EvictionPace::TimePoint now_{};
  std::uint64_t written_ = 0;
  EvictionPace pace_{Eviction::kLate, now_};
};

TEST_F(EvictionPaceTest, IsEarlySoonAfterAStartAtWhichNothingIsWritten) {
  EXPECT_EQ(wishes(40, 0), std::vector{Eviction::kEarly});
  EXPECT_TRUE(wishes(100, 10'000).empty()) << "single writes";
}

TEST_F(EvictionPaceTest, IsLateWhileMuchIsWritten) {
  EXPECT_TRUE(wishes(40, 10 << 20).empty());
  EXPECT_EQ(wishes(40, 0), std::vector{Eviction::kEarly});
  EXPECT_EQ(wishes(10, 10 << 20), std::vector{Eviction::kLate});
}

TEST_F(EvictionPaceTest, StaysLateOverAShortRest) {
  EXPECT_TRUE(wishes(10, 10 << 20).empty());
  for (int round = 0; round < 5; ++round) {
    EXPECT_TRUE(wishes(10, 0).empty());
    EXPECT_TRUE(wishes(10, 10 << 20).empty());
  }
}

}  // namespace
}  // namespace partita::shards
