// SPDX-License-Identifier: GPL-3.0-or-later
// The frame splitter and the buffer under it: lengths that lie are found at once, and memory follows what arrives.
#include "wire/message/splitter.h"

#include <gtest/gtest.h>

#include "tests/support/frames.h"
#include "wire/message/receive_buffer.h"

namespace partita::wire {
namespace {

using Kind = Split::Kind;
using test::Bytes;

Bytes claiming(std::int32_t length) {
  return test::bytes(length, std::int32_t{7}, std::int32_t{0}, std::int32_t{2013});
}

TEST(Splitter, RefusesImpossibleLengthsWithinTheHeader) {
  constexpr std::int32_t kLimit = kMaxMessageSize;
  for (const std::int32_t length : {0, 1, 15, -1, -2147483647 - 1, kLimit + 1, 2147483647}) {
    const Bytes header = claiming(length);
    EXPECT_EQ(split(header).kind, Kind::kClose) << length;
    EXPECT_EQ(split(std::span(header).first(4)).kind, Kind::kClose) << length;
  }
}

TEST(Splitter, TakesTheSmallestAndTheLargest) {
  EXPECT_EQ(split(claiming(16)).kind, Kind::kFrame);
  const Split largest = split(claiming(kMaxMessageSize));
  EXPECT_EQ(largest.kind, Kind::kNeedMore);
  EXPECT_EQ(largest.size, kMaxMessageSize - kHeaderSize);
}

TEST(Splitter, HonoursALowerLimit) {
  constexpr std::uint32_t kLimit = 1000;
  EXPECT_EQ(split(claiming(1000), kLimit).kind, Kind::kNeedMore);
  EXPECT_EQ(split(claiming(1001), kLimit).kind, Kind::kClose);
}

TEST(Splitter, SaysHowMuchIsMissingAtEveryLength) {
  const Bytes whole = test::op_msg(0, test::body_section(test::command("ping")));
  for (std::size_t have = 0; have < whole.size(); ++have) {
    const Split found = split(std::span(whole).first(have));
    ASSERT_EQ(found.kind, Kind::kNeedMore) << have;
    EXPECT_EQ(found.size, (have < kHeaderSize ? kHeaderSize : whole.size()) - have);
  }
  EXPECT_EQ(split(whole).kind, Kind::kFrame);
  EXPECT_EQ(split(whole).size, whole.size());
}

TEST(Splitter, LeavesTheNextMessageAlone) {
  const Bytes one = test::op_msg(0, test::body_section(test::command("ping")));
  EXPECT_EQ(split(test::bytes(one, one, std::uint8_t{1})).size, one.size());
}

TEST(Splitter, KnowsABrowser) { EXPECT_EQ(split(test::bytes(std::string_view("GET / HTTP/1.1"))).kind, Kind::kHttp); }

void receive(ReceiveBuffer& buffer, std::size_t wanted, std::size_t bytes) {
  while (bytes > 0) {
    const auto room = buffer.prepare(wanted);
    ASSERT_FALSE(room.empty());
    const std::size_t now = std::min(room.size(), bytes);
    std::fill_n(room.begin(), now, std::uint8_t{1});
    buffer.commit(now);
    bytes -= now;
    wanted -= now;
  }
}

TEST(ReceiveBuffer, FollowsWhatArrivesAndNotWhatIsClaimed) {
  ReceiveBuffer buffer;
  for (std::size_t step = 0; step < 200; ++step) {
    receive(buffer, kMaxMessageSize, 997);
    ASSERT_LE(buffer.capacity(), std::max(ReceiveBuffer::kInitial, 3 * buffer.bytes().size())) << step;
  }
}

TEST(ReceiveBuffer, AClaimAloneCostsNothing) {
  ReceiveBuffer buffer;
  EXPECT_LE(buffer.prepare(kMaxMessageSize).size(), ReceiveBuffer::kInitial);
}

TEST(ReceiveBuffer, UsesItsMemoryAgainWhileMessagesComeAndGo) {
  ReceiveBuffer buffer;
  for (int i = 0; i < 10'000; ++i) {
    receive(buffer, 100, 100);
    receive(buffer, 100, 30);  // The beginning of the next one.
    buffer.consume(100);
    receive(buffer, 70, 70);
    buffer.consume(100);
  }
  EXPECT_TRUE(buffer.bytes().empty());
  EXPECT_EQ(buffer.capacity(), ReceiveBuffer::kInitial);
}

TEST(ReceiveBuffer, ForgetsALargeMessageAfterManySmallOnes) {
  constexpr std::size_t kLarge = 4 << 20;
  ReceiveBuffer buffer;
  receive(buffer, kLarge, kLarge);
  buffer.consume(kLarge);
  EXPECT_GE(buffer.capacity(), kLarge) << "the next large one finds its room";
  for (int i = 0; i < 64; ++i) {
    receive(buffer, 100, 100);
    buffer.consume(100);
  }
  EXPECT_LE(buffer.capacity(), ReceiveBuffer::kKeep);
}

TEST(ReceiveBuffer, TrimsWhenTold) {
  constexpr std::size_t kLarge = 4 << 20;
  ReceiveBuffer buffer;
  receive(buffer, kLarge, kLarge);
  buffer.trim();
  EXPECT_EQ(buffer.bytes().size(), kLarge) << "not under a message";
  buffer.consume(kLarge);
  buffer.trim();
  EXPECT_LE(buffer.capacity(), ReceiveBuffer::kKeep);
}

}  // namespace
}  // namespace partita::wire
