// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/spare_buffers.h"

#include <gtest/gtest.h>

namespace partita::wire {
namespace {

constexpr std::size_t kKilobyte = 1 << 10;
constexpr std::size_t kMegabyte = 1 << 20;

bson::Buffer blown_up(std::size_t capacity) {
  bson::Buffer buffer(capacity);
  buffer.append("what the last one has said");
  return buffer;
}

TEST(SpareBuffers, GivesTheLastOneFirstAndEmpty) {
  SpareBuffers spare;
  spare.give(blown_up(20'000));
  spare.give(blown_up(30'000));
  spare.give(blown_up(kMegabyte));
  const bson::Buffer first = spare.take();
  EXPECT_EQ(first.capacity(), 30'000U);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(spare.take().capacity(), 20'000U);
  EXPECT_GT(spare.take().capacity(), 0U) << "a new one";
}

TEST(LargeBuffers, GoToThoseWhoHaveSaidMuch) {
  LargeBuffers spare;
  spare.give(blown_up(2 * kMegabyte));
  EXPECT_EQ(spare.take(100).capacity(), 0U);
  EXPECT_EQ(spare.take(100 * kKilobyte).capacity(), 0U) << "twenty times what is there";
  EXPECT_EQ(spare.take(1100 * kKilobyte).capacity(), 0U) << "it would be outgrown at once";
  const bson::Buffer taken = spare.take(200 * kKilobyte);
  EXPECT_EQ(taken.capacity(), 2 * kMegabyte);
  EXPECT_TRUE(taken.empty());
  EXPECT_TRUE(spare.empty());
}

TEST(LargeBuffers, StayAsLongAsTheyAreNeeded) {
  LargeBuffers spare;
  for (int i = 0; i < 4; ++i) spare.give(blown_up(kMegabyte));
  spare.trim();
  for (int second = 0; second < 3; ++second) {
    spare.give(spare.take(200 * kKilobyte));
    spare.trim();
    EXPECT_FALSE(spare.empty());
  }
  EXPECT_EQ(spare.take(200 * kKilobyte).capacity(), kMegabyte);
  EXPECT_EQ(spare.take(200 * kKilobyte).capacity(), 0U) << "three have not been needed";
  spare.give(blown_up(kMegabyte));
  spare.trim();
  spare.trim();
  EXPECT_TRUE(spare.empty());
}

TEST(LargeBuffers, AreSoManyBytesAndNoMore) {
  LargeBuffers spare;
  spare.give(blown_up(33 * kMegabyte));
  EXPECT_TRUE(spare.empty());
  for (int i = 0; i < 40; ++i) spare.give(blown_up(kMegabyte));
  int kept = 0;
  while (spare.take(200 * kKilobyte).capacity() > 0) ++kept;
  EXPECT_EQ(kept, 32);
}

}  // namespace
}  // namespace partita::wire
