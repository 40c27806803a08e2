// SPDX-License-Identifier: GPL-3.0-or-later
// OP_MSG as clients send it and as attackers do. What is answered and what ends the connection is mongod's behaviour.
#include "wire/message/op_msg.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/frames.h"

namespace partita::wire {
namespace {

using test::body_section;
using test::Bytes;
using test::bytes;
using test::bytes_of;
using test::command;
using test::numbered;
using test::op_msg;
using test::op_msg_checked;
using test::sequence_section;

const Bytes kPing = body_section(command("ping"));

Bytes documents(std::int32_t count) {
  Bytes all;
  for (std::int32_t i = 0; i < count; ++i) test::put(all, bytes_of(numbered(i)));
  return all;
}

TEST(OpMsg, ReadsTheBodyInPlace) {
  const Bytes message = op_msg(0, kPing);
  Request request;
  ASSERT_TRUE(parse_op_msg(message, request).ok());
  EXPECT_EQ(request.body["ping"].as_int32(), 1);
  EXPECT_EQ(request.body.data(), message.data() + 21);
  EXPECT_TRUE(request.sequences().empty());
  EXPECT_FALSE(request.checksum || request.more_to_come || request.exhaust_allowed || request.legacy);
}

TEST(OpMsg, ReadsSequencesBeforeAndAfterTheBody) {
  const Bytes message =
      op_msg(0, sequence_section("documents", documents(3)), kPing, sequence_section("", documents(0)));
  Request request;
  ASSERT_TRUE(parse_op_msg(message, request).ok());
  const Sequence* found = request.sequence("documents");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->count, 3U);
  std::int32_t expected = 0;
  for (const bson::View document : *found) EXPECT_EQ(document["_id"].as_int32(), expected++);
  EXPECT_EQ(expected, 3);
  ASSERT_NE(request.sequence(""), nullptr);
  EXPECT_EQ(request.sequence("")->count, 0U);
  EXPECT_EQ(request.sequence("other"), nullptr);
}

TEST(OpMsg, KnowsItsFlags) {
  constexpr std::uint32_t kUnknownOptional = 1U << 17 | 1U << 31;
  Request request;
  ASSERT_TRUE(parse_op_msg(op_msg(kMoreToCome | kExhaustAllowed | kUnknownOptional, kPing), request).ok());
  EXPECT_TRUE(request.more_to_come && request.exhaust_allowed);
  EXPECT_FALSE(request.checksum);
}

TEST(OpMsg, VerifiesTheChecksum) {
  const Bytes good = op_msg_checked(0, kPing);
  Request request;
  ASSERT_TRUE(parse_op_msg(good, request).ok());
  EXPECT_TRUE(request.checksum);
  for (std::size_t at = 0; at < good.size();
       ++at) {  // The length is the splitter's matter; any byte counts all the same.
    Bytes bad = good;
    bad[at] ^= 0x20;
    Request refused;
    EXPECT_FALSE(parse_op_msg(bad, refused).ok()) << at;
  }
}

TEST(OpMsg, TakesAChecksumFromTheRealServer) {
  constexpr std::array<std::uint8_t, 42> kReply{0x2a, 0, 0,    0, 0xab, 0, 0, 0,    0x07, 0, 0,    0,    0xdd, 0x07,
                                                0,    0, 0x01, 0, 0,    0, 0, 0x11, 0,    0, 0,    0x01, 0x6f, 0x6b,
                                                0,    0, 0,    0, 0,    0, 0, 0xf0, 0x3f, 0, 0xe8, 0x05, 0xb0, 0x74};
  Request request;
  EXPECT_TRUE(parse_op_msg(kReply, request).ok());
}

struct Hostile {
  const char* name;
  Bytes message;
  int code;
  bool closes;
};

Bytes with_section_size(std::int32_t size) {
  Bytes section = sequence_section("documents", documents(1));
  bson::store(section.data() + 1, size);
  return op_msg(0, kPing, section);
}

const Bytes kUnknownType{8, 0, 0, 0, 0x77, 'a', 0, 0};

TEST(OpMsg, AnswersHostileMessagesAsTheRealServer) {
  const Bytes doc = bytes_of(numbered(1));
  const Bytes cut(doc.begin(), doc.end() - 1);
  const auto section_size = static_cast<std::int32_t>(sequence_section("documents", documents(1)).size()) - 1;
  const Hostile cases[] = {
      {"no flags", test::frame({}), 17, true},
      {"no flags either", test::frame({0, 0, 0}), 17, true},
      {"no sections", op_msg(0), 40587, false},
      {"sequence alone", op_msg(0, sequence_section("documents", documents(1))), 40587, false},
      {"two bodies", op_msg(0, kPing, kPing), 40430, false},
      {"kind 2", op_msg(0, kPing, bytes(std::uint8_t{2}, doc)), 40432, false},
      {"kind 255", op_msg(0, bytes(std::uint8_t{255})), 40432, false},
      {"required flag 2", op_msg(1U << 2, kPing), 223, true},
      {"required flag 15", op_msg(1U << 15, kPing), 223, true},
      {"required flag 2 with moreToCome", op_msg(1U << 2 | kMoreToCome, kPing), 223, true},
      {"wrong checksum", op_msg(kChecksumPresent, kPing, std::uint32_t{1}), 17, true},
      {"checksum flag without checksum", op_msg(kChecksumPresent), 17, true},
      {"three bytes behind the body", op_msg(0, kPing, std::uint8_t{0}, std::uint16_t{0}), 40430, false},
      {"sequence twice", op_msg(0, kPing, sequence_section("d", doc), sequence_section("d", doc)), 40431, false},
      {"three sequences",
       op_msg(0, kPing, sequence_section("a", doc), sequence_section("b", doc), sequence_section("c", doc)), 233, true},
      {"sequence and field", op_msg(0, kPing, sequence_section("ping", doc)), 40433, false},
      {"truncated document", op_msg(0, kPing, sequence_section("documents", cut)), 22, false},
      {"bad document", op_msg(0, kPing, sequence_section("documents", kUnknownType)), 22, false},
      {"bad body", op_msg(0, body_section(kUnknownType)), 22, false},
      {"no body behind its kind", op_msg(0, std::uint8_t{0}), 22, false},
      {"body of length 4", op_msg(0, body_section(Bytes{4, 0, 0, 0})), 22, false},
      {"body past the end", op_msg(0, body_section(Bytes{255, 0, 0, 0, 0})), 22, false},
      {"sequence one byte past the end", with_section_size(section_size + 1), 15, false},
      {"sequence far past the end", with_section_size(2147483647), 15, false},
      {"sequence one byte short", with_section_size(section_size - 1), 22, false},
      {"sequence of size 0", with_section_size(0), 15, false},
      {"sequence of size 4", with_section_size(4), 15, false},
      {"sequence of size -5", with_section_size(-5), 15, false},
      {"sequence ends in its size", op_msg(0, kPing, std::uint8_t{1}, std::uint16_t{9}), 15, false},
      {"identifier without end", op_msg(0, kPing, std::uint8_t{1}, std::int32_t{8}, std::string_view("abcd")), 15,
       false},
      {"identifier not UTF-8", op_msg(0, kPing, sequence_section("\xC0\x80", doc)), 22, false},
  };
  for (const Hostile& one : cases) {
    Request request;
    const Status status = parse_op_msg(one.message, request);
    EXPECT_EQ(static_cast<int>(status.code()), one.code) << one.name << ": " << status.message();
    EXPECT_EQ(breaks_framing(status.code()), one.closes) << one.name;
  }
}

TEST(OpMsg, KeepsTheFlagsOfWhatItRefuses) {
  Request request;
  EXPECT_FALSE(parse_op_msg(op_msg(kMoreToCome, body_section(kUnknownType)), request).ok());
  EXPECT_TRUE(request.more_to_come) << "nobody waits for this error";
}

TEST(OpMsg, NeverReadsPastAnyCut) {
  const Bytes whole = op_msg(0, kPing, sequence_section("documents", documents(2)));
  for (std::size_t size = kHeaderSize; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(),
                    whole.begin() + static_cast<std::ptrdiff_t>(size));  // Its own block, so that ASan sees.
    Request request;
    const Status status = parse_op_msg(cut, request);
    const bool sections_end_here = size == kHeaderSize + 4 + kPing.size();
    EXPECT_EQ(status.ok(), sections_end_here) << size;
  }
}

}  // namespace
}  // namespace partita::wire
