// SPDX-License-Identifier: GPL-3.0-or-later
// OP_COMPRESSED in both directions: what comes out is what was claimed, to the byte, or the connection ends.
#include "wire/message/compress.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <random>

#include "tests/support/frames.h"
#include "wire/message/codec.h"
#include "wire/message/op_msg.h"

namespace partita::wire {
namespace {

using test::body_section;
using test::Bytes;
using test::bytes;
using test::command;
using test::op_compressed;

constexpr CompressorSet kAll{Compressor::kNoop, Compressor::kSnappy, Compressor::kZlib, Compressor::kZstd};
constexpr std::array<std::uint8_t, 4> kNumbers{0, 1, 2, 3};

const Bytes& payload() {  // What stands behind the header of a ping with something worth compressing.
  static const Bytes bytes = test::bytes(std::uint32_t{0}, body_section(bson::Document::build([](bson::Writer& w) {
                                           w.add("ping", 1);
                                           w.add("comment", std::string(500, 'x'));
                                           w.add("$db", "test");
                                         })));
  return bytes;
}

Bytes deflated(std::uint8_t number, const Bytes& from) {
  bson::Buffer to;
  EXPECT_TRUE(codec(number)->deflate(from, to));
  return {to.bytes().begin(), to.bytes().end()};
}

Result<Compressor> try_inflate(const Bytes& frame, bson::Buffer& out, CompressorSet allowed = kAll,
                               std::uint32_t limit = kMaxMessageSize) {
  return inflate(frame, allowed, limit, out);
}
void expect_refused(const Bytes& frame, std::string_view what, CompressorSet allowed = kAll,
                    std::uint32_t limit = kMaxMessageSize) {
  bson::Buffer out;
  const auto result = try_inflate(frame, out, allowed, limit);
  EXPECT_FALSE(result.ok()) << what;
  EXPECT_TRUE(breaks_framing(result.status().code())) << what;
  EXPECT_TRUE(out.empty()) << what << ": unfinished bytes must not be seen";
}

TEST(Compress, RestoresTheMessageWithItsHeader) {
  for (const std::uint8_t number : kNumbers) {
    bson::Buffer out;
    const auto used = try_inflate(
        op_compressed(number, deflated(number, payload()), static_cast<std::int32_t>(payload().size())), out);
    ASSERT_TRUE(used.ok()) << int{number} << used.status().message();
    EXPECT_EQ(*used, Compressor{number});
    const Bytes expected = test::frame(payload());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.bytes().begin(), out.bytes().end())) << int{number};
  }
}

TEST(Compress, RefusesAClaimThatIsNotWhatComesOut) {
  const auto real = static_cast<std::int32_t>(payload().size());
  for (const std::uint8_t number : kNumbers)
    for (const std::int32_t claim : {0, 1, real - 5, real - 1, real + 1, real + 5, real + 1000, -1, -2147483647 - 1,
                                     47'999'984, 48'000'000, 2147483647})
      expect_refused(op_compressed(number, deflated(number, payload()), claim),
                     std::to_string(number) + " " + std::to_string(claim));
}

TEST(Compress, RefusesGarbageEmptinessAndLeftovers) {
  const auto real = static_cast<std::int32_t>(payload().size());
  for (const std::uint8_t number : kNumbers) {
    const std::string name = codec(number)->name;
    const Bytes good = deflated(number, payload());
    expect_refused(op_compressed(number, {}, 0), name + " nothing at all");
    expect_refused(op_compressed(number, {}, real), name + " nothing inside");
    expect_refused(op_compressed(number, Bytes(10, 0xFF), real), name + " garbage");
    expect_refused(op_compressed(number, bytes(good, std::uint8_t{0}), real), name + " a byte behind");
    expect_refused(op_compressed(number, Bytes(good.begin(), good.end() - 1), real), name + " a byte short");
  }
}

TEST(Compress, NeverReadsOrWritesPastAnyCutOrFlip) {
  std::mt19937 random(7);
  for (const std::uint8_t number : {1, 2, 3}) {
    const Bytes good = deflated(number, payload());
    const auto claim = static_cast<std::int32_t>(payload().size());
    for (std::size_t size = 0; size < good.size(); ++size)
      expect_refused(
          op_compressed(number, Bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)), claim), "cut");
    for (int round = 0; round < 2000; ++round) {
      Bytes bad = good;
      bad[random() % bad.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
      bson::Buffer out;
      const bool taken = try_inflate(op_compressed(number, bad, claim), out).ok();
      EXPECT_EQ(out.size(), taken ? kHeaderSize + payload().size() : 0);  // Other bytes perhaps, never another size.
    }
  }
}

TEST(Compress, RefusesNestingAndForeignCompressors) {
  const Bytes inner =
      bytes(std::int32_t{2013}, static_cast<std::int32_t>(payload().size()), std::uint8_t{0}, payload());
  expect_refused(op_compressed(0, inner, static_cast<std::int32_t>(inner.size()), 2012), "nested");
  for (const int number : {4, 5, 127, 255})
    expect_refused(
        op_compressed(static_cast<std::uint8_t>(number), payload(), static_cast<std::int32_t>(payload().size())),
        "unknown");
  expect_refused(op_compressed(0, payload(), static_cast<std::int32_t>(payload().size())), "noop is off by default",
                 kDefaultCompressors);
}

TEST(Compress, RefusesAShortHead) {
  for (std::size_t size = 0; size < kCompressedHeadSize; ++size)
    expect_refused(test::frame(Bytes(size, 0), {.opcode = 2012}), "short head");
}

TEST(Compress, HoldsTheClaimAgainstTheLimitBeforeTheBytes) {
  const Bytes big(100'000, 'a');
  const auto size = static_cast<std::int32_t>(big.size());
  for (const std::uint8_t number : {1, 2, 3}) {
    const Bytes frame = op_compressed(number, deflated(number, big), size);
    bson::Buffer out;
    EXPECT_TRUE(try_inflate(frame, out, kAll, 100'000 + kHeaderSize).ok());
    expect_refused(frame, "one over the limit", kAll, 100'000 + kHeaderSize - 1);
  }
}

TEST(Compress, AsksForNoMemoryThatTheFormatCouldNotFill) {
  for (const std::uint8_t number : kNumbers) {
    bson::Buffer out;
    EXPECT_FALSE(try_inflate(op_compressed(number, Bytes(5, 0x28), 40'000'000), out).ok());
    EXPECT_EQ(out.capacity(), 0U) << codec(number)->name;
  }
}

TEST(Compress, TakesWhatCompressesBest) {  // The bound on a format's ratio must never refuse an honest message.
  const Bytes zeros(47'000'000, 0);
  for (const std::uint8_t number : kNumbers) {
    const Bytes packed = deflated(number, zeros);
    bson::Buffer out;
    EXPECT_TRUE(try_inflate(op_compressed(number, packed, static_cast<std::int32_t>(zeros.size())), out).ok())
        << codec(number)->name << " " << packed.size();
  }
}

TEST(Compress, TakesZstdWithoutItsSizeInTheHead) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_contentSizeFlag, 0);
  Bytes packed(ZSTD_compressBound(payload().size()));
  packed.resize(ZSTD_compress2(context.get(), packed.data(), packed.size(), payload().data(), payload().size()));
  bson::Buffer out;
  EXPECT_TRUE(try_inflate(op_compressed(3, packed, static_cast<std::int32_t>(payload().size())), out).ok());
}

TEST(Compress, DeflatesInPlaceBehindWhatIsAlreadyThere) {
  for (const std::uint8_t number : kNumbers) {
    const Bytes message = test::frame(payload());
    bson::Buffer stream, scratch, out;
    stream.append(std::string_view("before"));
    stream.append(message);
    deflate(Compressor{number}, stream, 6, scratch);
    EXPECT_EQ(stream.text().substr(0, 6), "before");
    const auto packed = stream.bytes().subspan(6);
    if (number == 0) {  // Not shorter: left as it was.
      EXPECT_TRUE(std::equal(message.begin(), message.end(), packed.begin(), packed.end()));
      continue;
    }
    EXPECT_LT(packed.size(), message.size());
    EXPECT_EQ(Header::read(packed.data()).length, packed.size());
    ASSERT_TRUE(inflate(packed, kAll, kMaxMessageSize, out).ok());
    EXPECT_TRUE(std::equal(message.begin(), message.end(), out.bytes().begin(), out.bytes().end()));
  }
}

TEST(Compress, NegotiatesInTheClientsOrder) {
  const auto wanted = bson::Document::build([](bson::Writer& w) {
    for (const char* name : {"zlib", "lz4", "noop", "snappy", "zlib"}) w.add("0", name);
    w.add("5", 3);
  });
  EXPECT_EQ(negotiate(wanted, kDefaultCompressors), (std::vector{Compressor::kZlib, Compressor::kSnappy}));
  EXPECT_TRUE(negotiate(wanted, {}).empty());
}

TEST(Compress, ReadsItsSetting) {
  EXPECT_EQ(*CompressorSet::parse("snappy,zstd, zlib"), kDefaultCompressors);
  EXPECT_EQ(*CompressorSet::parse("disabled"), CompressorSet());
  for (const char* bad : {"", "lz4", "snappy,", "snappy,,zlib", "Snappy", "disabled,zlib"})
    EXPECT_FALSE(CompressorSet::parse(bad).ok()) << bad;
}

}  // namespace
}  // namespace partita::wire
