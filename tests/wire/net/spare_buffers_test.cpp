// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/spare_buffers.h"

#include <gtest/gtest.h>

namespace partita::wire {
namespace {

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
  const bson::Buffer first = spare.take();
  EXPECT_EQ(first.capacity(), 30'000U);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(spare.take().capacity(), 20'000U);
  EXPECT_GT(spare.take().capacity(), 0U) << "a new one";
}

TEST(SpareBuffers, KeepsWhatALargeMessageNeeded) {
  SpareBuffers spare;
  for (int message = 0; message < 100; ++message) {
    bson::Buffer buffer = spare.take();
    EXPECT_EQ(buffer.capacity() >= 2 * kMegabyte, message > 0);
    buffer.reserve(2 * kMegabyte);
    spare.give(std::move(buffer));
    spare.trim();
  }
}

TEST(SpareBuffers, FreesLargeOnesThatNobodyTakes) {
  SpareBuffers spare;
  spare.give(blown_up(20'000));
  for (int i = 0; i < 4; ++i) spare.give(blown_up(kMegabyte));
  spare.trim();
  bson::Buffer taken = spare.take();
  spare.trim();
  spare.give(std::move(taken));
  EXPECT_TRUE(spare.has_large()) << "one was in use a moment ago";
  spare.trim();
  EXPECT_TRUE(spare.has_large());
  spare.trim();
  EXPECT_FALSE(spare.has_large());
  EXPECT_EQ(spare.take().capacity(), 20'000U) << "small ones stay";
}

TEST(SpareBuffers, KeepsSoManyBytesAndNoMore) {
  SpareBuffers spare;
  spare.give(blown_up(33 * kMegabyte));
  EXPECT_FALSE(spare.has_large());
  for (int i = 0; i < 40; ++i) spare.give(blown_up(kMegabyte));
  int kept = 0;
  while (spare.take().capacity() >= kMegabyte) ++kept;
  EXPECT_EQ(kept, 32);
}

}  // namespace
}  // namespace partita::wire
