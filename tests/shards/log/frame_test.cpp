// SPDX-License-Identifier: GPL-3.0-or-later
//
// Frames and the headers of files are on disks: they are held against golden bytes, read back, and damaged bit by bit.
#include "shards/log/frame.h"

#include <gtest/gtest.h>

#include "tests/support/hex.h"
#include "wire/bson/payload.h"

namespace partita::shards {
namespace {

constexpr Place kAt = 0x123456780;
constexpr std::uint64_t kSalt = 0xFEDCBA9876543210;
constexpr std::uint64_t kLeft = 4096;

Frame sample() { return {.size = 100, .room = 136, .settled = 0x123456700, .synced = 0x123450000}; }

FileHeader sample_header() {
  return {.base = 0x2000000, .salt = kSalt, .next = {3, 0x1234567890}, .epochs = {2, 5}, .boot = 0x66778899aabbccdd, .size = 0x4000000};
}

bool accepted(const Frame& frame, std::uint64_t left = kLeft) {
  return Frame::decode(frame.encode(kAt, kSalt), kAt, kSalt, left).has_value();
}

TEST(Frame, KeepsItsBytesForEver) {
  EXPECT_EQ(test::hex(sample().encode(kAt, kSalt)),
            "6400000088000000006745230100000000004523010000005cf0739fce886ea3");
}

TEST(Frame, ReadsBackWhatWasWritten) {
  const auto frame = Frame::decode(sample().encode(kAt, kSalt), kAt, kSalt, kLeft);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->size, 100u);
  EXPECT_EQ(frame->room, 136u);
  EXPECT_EQ(frame->settled, 0x123456700u);
  EXPECT_EQ(frame->synced, 0x123450000u);
}

TEST(Frame, NoticesEveryFlippedBit) {
  Frame::Header bytes = sample().encode(kAt, kSalt);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(Frame::decode(bytes, kAt, kSalt, ~0ull)) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
}

TEST(Frame, IsNoneAtAnotherPlaceOrInAnotherFile) {
  const Frame::Header bytes = sample().encode(kAt, kSalt);
  for (unsigned bit = 0; bit < 64; ++bit) {
    EXPECT_FALSE(Frame::decode(bytes, kAt ^ 1ull << bit, kSalt, kLeft)) << "bit " << bit;
    EXPECT_FALSE(Frame::decode(bytes, kAt, kSalt ^ 1ull << bit, kLeft)) << "bit " << bit;
  }
}

TEST(Frame, NoticesEveryCut) {
  const Frame::Header bytes = sample().encode(kAt, kSalt);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(Frame::decode(Bytes(bytes).first(size), kAt, kSalt, kLeft)) << size;
  }
}

TEST(Frame, EndsWithinWhatIsLeft) {
  EXPECT_TRUE(accepted(sample(), 136));
  EXPECT_FALSE(accepted(sample(), 135));
  EXPECT_FALSE(accepted(sample(), 0));
}

TEST(Frame, HasRoomForItsRecordInMultiplesOfEight) {
  EXPECT_TRUE(accepted({.size = 104, .room = 136}));
  EXPECT_FALSE(accepted({.size = 105, .room = 136})) << "a record larger than its room";
  EXPECT_FALSE(accepted({.size = ~0u, .room = 136}));
  for (std::uint32_t room = 129; room < 136; ++room) EXPECT_FALSE(accepted({.size = 80, .room = room})) << room;
  EXPECT_TRUE(accepted({.size = 0, .room = 32})) << "what fills a hole";
  EXPECT_FALSE(accepted({.size = 0, .room = 24})) << "a room smaller than the header";
  EXPECT_FALSE(accepted({.size = 0, .room = 0}));
}

TEST(Frame, TakesNoMoreRoomThanItsRecordNeeds) {
  for (std::size_t size = 0; size < 200; ++size) {
    const std::uint32_t room = Frame::room_for(size);
    EXPECT_EQ(room % Frame::kAlignment, 0u);
    EXPECT_GE(room, Frame::kHeaderSize + size);
    EXPECT_LT(room, Frame::kHeaderSize + size + Frame::kAlignment);
  }
}

TEST(Frame, IsNotFoundInZeros) {
  for (const std::uint64_t salt : {std::uint64_t{0}, kSalt}) {
    EXPECT_FALSE(Frame::decode(Frame::Header{}, 0, salt, kLeft));
  }
}

TEST(FileHeader, KeepsItsBytesForEver) {
  EXPECT_EQ(test::hex(sample_header().encode()),
            "50544c4f4746494c010000000000000000000002000000001032547698badcfe"
            "0300000000000000907856341200000002000000000000000500000000000000"
            "ddccbbaa99887766000000040000000000000000000000000000000000000000"
            "0000000000000000000000000000000000000000000000003036aa97409a8370");
}

TEST(FileHeader, ReadsBackWhatWasWritten) {
  const std::optional<FileHeader> header = *FileHeader::decode(sample_header().encode());
  ASSERT_TRUE(header);
  EXPECT_EQ(header->base, 0x2000000u);
  EXPECT_EQ(header->salt, kSalt);
  EXPECT_EQ(header->next, (std::array<Sequence, 2>{3, 0x1234567890}));
  EXPECT_EQ(header->epochs, (std::array<Epoch, 2>{2, 5}));
  EXPECT_EQ(header->boot, 0x66778899aabbccddu);
  EXPECT_EQ(header->size, 0x4000000u);
}

TEST(FileHeader, NoticesEveryFlippedBit) {
  FileHeader::Encoded bytes = sample_header().encode();
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_FALSE(*FileHeader::decode(bytes)) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
}

TEST(FileHeader, NoticesEveryCut) {
  const FileHeader::Encoded bytes = sample_header().encode();
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(*FileHeader::decode(Bytes(bytes).first(size))) << size;
}

TEST(FileHeader, RefusesALaterVersionByItsNumber) {
  FileHeader::Encoded bytes = sample_header().encode();
  bytes[8] = 2;
  constexpr std::size_t kCheck = 120;
  bson::store(bytes.data() + kCheck, std::uint64_t{record_hash(Bytes(bytes).first(kCheck))});  // XXH3, as the header's own.
  const auto header = FileHeader::decode(bytes);
  EXPECT_EQ(header.status().code(), Code::FileOpenFailed);
  EXPECT_NE(header.status().message().find("format 2"), std::string::npos) << header.status().message();
}

TEST(FileHeader, IsNotFoundInZeros) { EXPECT_FALSE(*FileHeader::decode(FileHeader::Encoded{})); }

}  // namespace
}  // namespace partita::shards
