// SPDX-License-Identifier: GPL-3.0-or-later
// The whole protocol without a socket: bytes in, actions and replies out.
#include "wire/message/exchange.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/frames.h"
#include "wire/message/codec.h"

namespace partita::wire {
namespace {

using namespace std::string_view_literals;
using Step = Exchange::Step;
using test::body_section;
using test::Bytes;
using test::bytes;
using test::bytes_of;
using test::command;
using test::op_compressed;
using test::op_msg;
using test::read_reply;

/// A connection whose server answers {ok: 1, echo: <first field's name>}.
class Talk {
 public:
  explicit Talk(Exchange::Options options = {}) : exchange(options) {}

  /// Hands over `input` in pieces of at most `piece` bytes; stops when the exchange wants to close.
  void send(std::span<const std::uint8_t> input, std::size_t piece = SIZE_MAX) {
    while (!input.empty() && !closed) {
      const auto room = exchange.prepare();
      ASSERT_FALSE(room.empty());
      const std::size_t now = std::min({room.size(), input.size(), piece});
      std::copy_n(input.begin(), now, room.begin());
      exchange.commit(now);
      input = input.subspan(now);
      taken += now;
      work();
    }
  }

  std::vector<std::span<const std::uint8_t>> replies() const { return test::split_replies(out.bytes()); }

  Exchange exchange;
  bson::Buffer out;
  std::size_t taken = 0;
  int requests = 0;
  bool closed = false;

 private:
  void work() {
    while (true) {
      switch (exchange.next()) {
        case Step::kNeedMore:
          return;
        case Step::kClose:
          closed = true;
          EXPECT_FALSE(exchange.problem().ok());
          return;
        case Step::kRefuse:
          exchange.refuse(out);
          break;
        case Step::kRequest:
          ++requests;
          answer();
      }
      exchange.consume();
    }
  }
  void answer() {
    const std::size_t start = exchange.begin_reply(out);
    {
      bson::Writer body(out);
      body.add("ok", 1.0);
      const auto first = exchange.request().body.begin();
      body.add("echo", first == exchange.request().body.end() ? "" : first->name);
      body.add("padding", std::string(300, 'p'));
    }
    exchange.end_reply(out, start);
  }
};

const Bytes kPing = op_msg(0, body_section(command("ping")));
const Bytes kBadBson = op_msg(0, body_section(Bytes{8, 0, 0, 0, 0x77, 'a', 0, 0}));
const Bytes kHello =
    test::op_query("admin.$cmd", bytes_of(bson::Document::build([](bson::Writer& w) { w.add("hello", 1); })));

Bytes packed(std::uint8_t compressor, const Bytes& message) {
  const Bytes payload(message.begin() + kHeaderSize, message.end());
  bson::Buffer to;
  EXPECT_TRUE(codec(compressor)->deflate(payload, to));
  return op_compressed(compressor, Bytes(to.bytes().begin(), to.bytes().end()),
                       static_cast<std::int32_t>(payload.size()), bson::load<std::int32_t>(message.data() + 12));
}

TEST(Exchange, AnswersAPing) {
  Talk talk;
  talk.send(kPing);
  ASSERT_EQ(talk.replies().size(), 1U);
  const auto reply = read_reply(talk.replies()[0]);
  EXPECT_EQ(reply.header.opcode, OpCode::kMsg);
  EXPECT_EQ(reply.header.response_to, 7);
  EXPECT_GT(reply.header.request_id, 0);
  EXPECT_EQ(reply.flags, 0U);
  EXPECT_EQ(reply.body["echo"].as_string(), "ping");
  EXPECT_EQ(reply.behind_body, 0U);
}

TEST(Exchange, AnswersTheLegacyGreetingInItsOwnForm) {
  Talk talk;
  talk.send(kHello);
  const auto reply = read_reply(talk.replies().at(0));
  EXPECT_EQ(reply.header.opcode, OpCode::kReply);
  EXPECT_EQ(reply.header.response_to, 7);
  EXPECT_EQ(reply.flags, 8U);
  EXPECT_EQ(bson::load<std::int32_t>(talk.replies()[0].data() + 32), 1) << "documents in the reply";
  EXPECT_EQ(reply.body["echo"].as_string(), "hello");
}

// No driver sends that; mongod answers it all the same.
TEST(Exchange, AnswersALegacyGreetingThatCameCompressed) {
  Talk talk;
  talk.send(bytes(packed(1, kHello), kPing));
  ASSERT_EQ(talk.replies().size(), 2U) << "the connection goes on";
  const auto reply = read_reply(talk.replies()[0]);
  EXPECT_EQ(reply.header.opcode, OpCode::kReply);
  EXPECT_EQ(reply.body["echo"].as_string(), "hello");
}

TEST(Exchange, RefusesLegacyQueriesInTheFormTheirClientsRead) {
  const Bytes get_more =
      test::frame(bytes(std::int32_t{0}, std::string_view("t.c"), std::uint8_t{0}), {.opcode = 2005});
  for (const Bytes& message : {test::op_query("test.c", bytes_of(command("find"))), get_more}) {
    Talk talk;
    talk.send(bytes(message, kPing));
    ASSERT_EQ(talk.replies().size(), 2U) << "the connection goes on";
    const auto reply = read_reply(talk.replies()[0]);
    EXPECT_EQ(reply.header.opcode, OpCode::kReply);
    EXPECT_EQ(reply.flags, 2U);
    EXPECT_EQ(reply.body["code"].as_int32(), 5739101);
    EXPECT_TRUE(reply.body["$err"].is_string());
  }
}

TEST(Exchange, RefusesBadDocumentsAndGoesOn) {
  Talk talk;
  talk.send(bytes(kBadBson, kPing));
  ASSERT_EQ(talk.replies().size(), 2U);
  const auto refusal = read_reply(talk.replies()[0]);
  EXPECT_EQ(refusal.body["ok"].as_double(), 0.0);
  EXPECT_EQ(refusal.body["code"].as_int32(), 22);
  EXPECT_EQ(refusal.body["codeName"].as_string(), "InvalidBSON");
  EXPECT_EQ(read_reply(talk.replies()[1]).body["echo"].as_string(), "ping");
}

TEST(Exchange, ClosesOnWhatCannotBeFollowed) {
  const std::pair<const char*, Bytes> cases[] = {
      {"length 15", bytes(std::int32_t{15})},
      {"negative length", bytes(std::int32_t{-1})},
      {"too long", bytes(std::int32_t{48'000'001})},
      {"OP_INSERT", test::frame({0, 0, 0, 0}, {.opcode = 2002})},
      {"OP_UPDATE", test::frame({0, 0, 0, 0}, {.opcode = 2001})},
      {"OP_DELETE", test::frame({0, 0, 0, 0}, {.opcode = 2006})},
      {"OP_KILL_CURSORS", test::frame({0, 0, 0, 0}, {.opcode = 2007})},
      {"a reply", test::frame({0, 0, 0, 0}, {.opcode = 1})},
      {"unknown opcode", test::frame({}, {.opcode = 99'999})},
      {"an answer to something",
       test::frame(bytes(std::uint32_t{0}, body_section(command("ping"))), {.response_to = 9})},
      {"unknown flag", op_msg(4, body_section(command("ping")))},
      {"bad checksum", op_msg(kChecksumPresent, body_section(command("ping")), std::uint32_t{0})},
      {"empty OP_MSG", test::frame({})},
      {"unknown inside compressed", op_compressed(0, {1, 2, 3}, 3, 77)},
  };
  for (const auto& [name, message] : cases) {
    Talk talk;
    talk.send(bytes(message, kPing));
    EXPECT_TRUE(talk.closed) << name;
    EXPECT_EQ(talk.requests, 0) << name;
    EXPECT_TRUE(talk.out.empty()) << name;
    EXPECT_TRUE(talk.exchange.farewell().empty()) << name;
  }
}

TEST(Exchange, ClosesAfterAtMostAHeader) {
  const Bytes tls_greeting = bytes("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on"sv);
  for (const Bytes& hostile : {bytes(std::int32_t{-5}, Bytes(100, 0)), tls_greeting,
                               bytes(std::int32_t{40'000'000}, std::int32_t{1}, std::int32_t{0}, std::int32_t{2002})}) {
    Talk talk;
    talk.send(hostile, 1);
    EXPECT_TRUE(talk.closed);
    EXPECT_LE(talk.taken, kHeaderSize);
  }
}

TEST(Exchange, SendsBrowsersAway) {
  Talk talk;
  talk.send(bytes(std::string_view("GET / HTTP/1.1\r\n\r\n")));
  EXPECT_TRUE(talk.closed);
  const auto text = talk.exchange.farewell();
  EXPECT_EQ(text.substr(text.find("\r\n\r\n") + 4).size(), 85U) << "as its Content-Length says";
}

TEST(Exchange, SaysNothingWhenMoreIsToCome) {
  Talk talk;
  talk.send(bytes(op_msg(kMoreToCome, body_section(command("insert"))),
                  op_msg(kMoreToCome, body_section(Bytes{8, 0, 0, 0, 0x77, 'a', 0, 0})), kPing));
  EXPECT_EQ(talk.requests, 2);
  ASSERT_EQ(talk.replies().size(), 1U);
  EXPECT_EQ(read_reply(talk.replies()[0]).body["echo"].as_string(), "ping");
}

TEST(Exchange, ChecksumsTheAnswerToAChecksum) {
  for (const Bytes& section : {body_section(command("ping")), body_section(Bytes{4, 0, 0, 0})}) {
    Talk talk;
    talk.send(test::op_msg_checked(0, section));
    const auto raw = talk.replies().at(0);
    EXPECT_EQ(read_reply(raw).flags, std::uint32_t{kChecksumPresent});
    EXPECT_EQ(read_reply(raw).behind_body, kChecksumSize);
    EXPECT_EQ(bson::load<std::uint32_t>(raw.data() + raw.size() - 4), crc32c(raw.first(raw.size() - 4)));
  }
}

TEST(Exchange, AnswersInTheCompressorOfTheQuestion) {
  for (const std::uint8_t number : {1, 2, 3}) {
    Talk talk;
    talk.send(packed(number, kPing));
    const auto raw = talk.replies().at(0);
    ASSERT_EQ(Header::read(raw.data()).opcode, OpCode::kCompressed) << int{number};
    EXPECT_EQ(raw[24], number);
    bson::Buffer plain;
    ASSERT_TRUE(inflate(raw, kDefaultCompressors, kMaxMessageSize, plain).ok());
    EXPECT_EQ(read_reply(plain.bytes()).body["echo"].as_string(), "ping");
    EXPECT_EQ(read_reply(plain.bytes()).header.response_to, 7);
  }
}

TEST(Exchange, NeverCompressesSecrets) {
  for (const char* name : {"hello", "isMaster", "saslStart", "saslContinue", "authenticate", "createUser"}) {
    Talk talk;
    talk.send(packed(2, op_msg(0, body_section(command(name)))));
    EXPECT_EQ(Header::read(talk.replies().at(0).data()).opcode, OpCode::kMsg) << name;
  }
}

TEST(Exchange, TakesOnlyTheCompressorsItOffers) {
  Talk none({.compressors = {}});
  none.send(packed(1, kPing));
  EXPECT_TRUE(none.closed);
}

TEST(Exchange, KeepsALimitUntilItIsLifted) {
  const Bytes big =
      op_msg(0, body_section(bson::Document::build([](bson::Writer& w) { w.add("ping", std::string(5000, 'x')); })));
  Talk small({.max_message_size = 1000});
  small.send(kPing);
  EXPECT_EQ(small.requests, 1);
  small.exchange.limit_messages(kMaxMessageSize);
  small.send(big);
  EXPECT_EQ(small.requests, 2);
  small.exchange.limit_messages(1000);
  small.send(big);
  EXPECT_TRUE(small.closed);
}

TEST(Exchange, ChainsTheRepliesOfAnExhaustStream) {
  Exchange exchange;
  bson::Buffer out;
  const Bytes message = op_msg(kExhaustAllowed, body_section(command("hello")));
  std::copy(message.begin(), message.end(), exchange.prepare().begin());
  exchange.commit(message.size());
  ASSERT_EQ(exchange.next(), Step::kRequest);
  ASSERT_TRUE(exchange.request().exhaust_allowed);
  for (const bool more : {true, true, false}) {
    const std::size_t start = exchange.begin_reply(out);
    { bson::Writer body(out); }
    exchange.end_reply(out, start, more);
  }
  const auto replies = test::split_replies(out.bytes());
  ASSERT_EQ(replies.size(), 3U);
  std::int32_t answers = 7;
  for (const auto raw : replies) {
    EXPECT_EQ(read_reply(raw).header.response_to, answers);
    answers = read_reply(raw).header.request_id;
  }
  EXPECT_EQ(read_reply(replies[0]).flags, std::uint32_t{kMoreToCome});
  EXPECT_EQ(read_reply(replies[2]).flags, 0U);
}

TEST(Exchange, TurnsAReplyThatNobodyCouldReadIntoAnError) {
  Exchange exchange;
  bson::Buffer out;
  std::copy(kPing.begin(), kPing.end(), exchange.prepare().begin());
  exchange.commit(kPing.size());
  ASSERT_EQ(exchange.next(), Step::kRequest);
  const std::size_t start = exchange.begin_reply(out);
  {
    bson::Writer body(out);
    const std::string block(16'000'000, 'x');
    for (const char* name : {"a", "b", "c"}) body.add(name, block);
  }
  exchange.end_reply(out, start);
  ASSERT_LT(out.size(), 1000U);
  EXPECT_EQ(read_reply(out.bytes()).body["code"].as_int32(), 10334);
}

/// A conversation with everything in it that keeps the connection open.
Bytes conversation() {
  const Bytes document = bytes_of(test::numbered(1));
  const Bytes insert =
      op_msg(0, body_section(command("insert")), test::sequence_section("documents", bytes(document, document)));
  const Bytes large =
      op_msg(0, body_section(bson::Document::build([](bson::Writer& w) { w.add("echo", std::string(9000, 'x')); })));
  return bytes(kHello, kPing, kBadBson, insert, packed(1, kPing), packed(3, insert), large, packed(2, large),
               test::op_msg_checked(0, body_section(command("ping"))), op_msg(kMoreToCome, body_section(command("w0"))),
               kPing);
}

TEST(Exchange, GivesTheSameAnswersWhereverTheStreamIsCut) {
  const Bytes stream = conversation();
  Talk whole;
  whole.send(stream);
  ASSERT_FALSE(whole.closed);
  ASSERT_EQ(whole.replies().size(), 10U);
  const auto same = [&](const Talk& other) { return other.out.text() == whole.out.text(); };
  for (std::size_t cut = 1; cut < stream.size(); ++cut) {
    Talk talk;
    talk.send(std::span(stream).first(cut));
    talk.send(std::span(stream).subspan(cut));
    ASSERT_TRUE(same(talk)) << "cut at " << cut;
  }
  for (const std::size_t piece : {1, 2, 3, 7, 15, 16, 17, 1000, 4096}) {
    Talk talk;
    talk.send(stream, piece);
    ASSERT_TRUE(same(talk)) << "pieces of " << piece;
  }
}

TEST(Exchange, GivesTheSameAnswersUnderRandomSegmentation) {
  const Bytes stream = bytes(conversation(), conversation(), conversation());
  Talk whole;
  whole.send(stream);
  const unsigned seed = std::random_device{}();
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    Talk talk;
    for (auto rest = std::span<const std::uint8_t>(stream); !rest.empty();) {
      const std::size_t most = std::size_t{1} << random() % 14;
      const std::size_t now = std::min<std::size_t>(rest.size(), 1 + random() % most);
      talk.send(rest.first(now));
      rest = rest.subspan(now);
    }
    ASSERT_EQ(talk.out.text(), whole.out.text()) << "seed " << seed << ", round " << round;
  }
}

TEST(Exchange, HandsOutPipelinedRequestsWithoutMovingThem) {
  Exchange exchange;
  const Bytes two = bytes(kPing, kPing);
  const auto room = exchange.prepare();
  std::copy(two.begin(), two.end(), room.begin());
  exchange.commit(two.size());
  for (const std::size_t offset : {std::size_t{0}, kPing.size()}) {
    ASSERT_EQ(exchange.next(), Step::kRequest);
    EXPECT_EQ(exchange.request().body.data(), room.data() + offset + 21);
    exchange.consume();
  }
  EXPECT_EQ(exchange.next(), Step::kNeedMore);
}

}  // namespace
}  // namespace partita::wire
