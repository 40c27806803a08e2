// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes that nobody should send, on the network, while somebody else is being served: whatever comes, the server lives,
// takes no memory on a claim, and answers others as quickly as before.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

#include "tests/driver/server.h"
#include "tests/support/random_bson.h"
#include "tests/wire/net/client.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kLargest = 48'000'000;

/// Somebody who asks all the while and takes the time of every answer.
class Neighbour {
 public:
  explicit Neighbour(std::uint16_t port) : client_(port), thread_([this] { ask(); }) {}
  ~Neighbour() {
    constexpr int kEnough = 20;
    while (asked_ < kEnough) std::this_thread::sleep_for(1ms);
    stop_ = true;
    thread_.join();
    EXPECT_EQ(unanswered_, 0);
    std::sort(times_.begin(), times_.end());
    EXPECT_LT(times_[times_.size() * 9 / 10], 100ms) << "the neighbours feel it";
    EXPECT_LT(times_.back(), 3s) << "somebody had to wait";
  }

 private:
  void ask() {
    while (!stop_) {
      const auto begin = Clock::now();
      if (!client_.send(request("ping")) || client_.receive_number("ok") != 1) ++unanswered_;
      times_.push_back(Clock::now() - begin);
      ++asked_;
      std::this_thread::sleep_for(2ms);
    }
  }
  Client client_;
  std::atomic<bool> stop_{false};
  std::atomic<int> asked_{0};
  int unanswered_ = 0;
  std::vector<Clock::duration> times_;
  std::thread thread_;
};

class Hostile : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = new Server; }
  static void TearDownTestSuite() {
    EXPECT_FALSE(server_->process().check_alive());
    const client::Problem problem = server_->process().stop(10s);
    EXPECT_FALSE(problem) << *problem;
    delete server_;
  }
  static std::uint16_t port() { return static_cast<std::uint16_t>(server_->process().port()); }
  /// A client that has said hello: before that only short messages are taken.
  static Client greeted() {
    Client client(port());
    EXPECT_TRUE(client.send(request("hello")));
    EXPECT_EQ(client.receive_number("ok"), 1);
    return client;
  }
  /// What the server holds in memory, in megabytes.
  static std::int64_t resident() {
    const client::Client client = server_->connect();
    return number_of(client.get(), R"({"serverStatus": 1})", "mem.resident", "admin");
  }

  static Server* server_;
  Neighbour neighbour_{port()};
};
Server* Hostile::server_ = nullptr;

Bytes message_of(const std::string& command) {
  const bson::Document body = bson::parse_json(command).value();
  return op_msg(0, body_section(body));
}

/// Whether the connection still serves: what comes before the ping's answer belongs to earlier messages.
bool reaches_a_ping(Client& client) {
  constexpr std::int32_t kId = 99;
  if (!client.send(request("ping", 1, 0, kId))) return false;
  while (true) {
    const Bytes answer = client.receive();
    if (answer.empty()) return false;
    if (wire::Header::read(answer.data()).response_to == kId) return true;
  }
}

TEST_F(Hostile, WildLengthsEndTheConnection) {
  for (const std::int32_t length : {0, 1, 15, -1, std::numeric_limits<std::int32_t>::min(),
                                    static_cast<std::int32_t>(kLargest + 1), std::numeric_limits<std::int32_t>::max()}) {
    Client client = greeted();
    Bytes message = request("ping");
    bson::store(message.data(), length);
    client.send(message);
    EXPECT_TRUE(client.sees_end()) << length;
  }
}

TEST_F(Hostile, HalvesOfMessagesAreForgotten) {
  const Bytes whole = request("ping");
  for (std::size_t half = 1; half < whole.size(); ++half) {
    Client client(port());
    EXPECT_TRUE(client.send(std::span(whole).first(half)));
  }
}

TEST_F(Hostile, OneWhoSendsByteByByteIsAnsweredAtItsEnd) {
  Client client(port());
  const Bytes whole = request("ping");
  for (const std::uint8_t& byte : whole) {
    ASSERT_TRUE(client.send({&byte, 1}));
    std::this_thread::sleep_for(3ms);
  }
  EXPECT_EQ(client.receive_number("ok"), 1);
}

TEST_F(Hostile, ABadChecksumIsNotServed) {
  Bytes message = op_msg_checked(0, body_section(bson::parse_json(R"({insert: "c", documents: [{_id: 1}], $db: "hostile"})").value()));
  message.back() ^= 1;
  Client client = greeted();
  EXPECT_TRUE(client.send(message));
  const Bytes answer = client.receive();
  EXPECT_TRUE(answer.empty() || read_reply(answer).body["ok"].to_double() == 0);
  const client::Client asking = server_->connect();
  EXPECT_EQ(number_of(asking.get(), R"({"count": "c"})", "n", "hostile"), 0);
}

TEST_F(Hostile, CompressionIsNotNestedAndItsClaimsAreNotBelieved) {
  const Bytes ping = request("ping");
  const Bytes payload(ping.begin() + wire::kHeaderSize, ping.end());
  const Bytes plain = op_compressed(0, payload, static_cast<std::int32_t>(payload.size()));
  const Bytes inner(plain.begin() + wire::kHeaderSize, plain.end());
  for (const Bytes& message : {op_compressed(0, inner, static_cast<std::int32_t>(inner.size()), 2012),
                               op_compressed(0, payload, kLargest), op_compressed(1, payload, kLargest - 16),
                               op_compressed(2, payload, -1), op_compressed(3, payload, 0), op_compressed(250, payload, 10)}) {
    Client client = greeted();
    EXPECT_TRUE(client.send(message));
    const Bytes answer = client.receive();
    EXPECT_TRUE(answer.empty() || read_reply(answer).body["ok"].to_double() == 0);
  }
}

/// Many clients claim the largest message there is and send the beginning of it.
TEST_F(Hostile, ClaimsTakeNoMemory) {
  constexpr int kClaimants = 300;
  constexpr std::size_t kSent = 2000;
  Bytes beginning = bytes(static_cast<std::int32_t>(kLargest), std::int32_t{7}, std::int32_t{0}, std::int32_t{2013});
  beginning.resize(kSent);
  std::vector<Client> claimants;
  for (int i = 0; i < kClaimants; ++i) claimants.push_back(greeted());
  const std::int64_t before = resident();
  for (Client& client : claimants) ASSERT_TRUE(client.send(beginning));
  std::this_thread::sleep_for(200ms);
  EXPECT_LT(resident(), before + 40) << "300 claims of 48 MB, and 2 kB sent for each";
}

/// Commands with a few bits changed, sections that lie, values of every type where they do not belong.
TEST_F(Hostile, ChangedCommandsNeverEndTheServer) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  const std::vector<Bytes> commands = {
      message_of(R"({insert: "c", documents: [{_id: 1, a: [1, {b: 2}]}, {_id: 2}], ordered: false, $db: "hostile"})"),
      message_of(R"({find: "c", filter: {a: {$gt: 1}, $or: [{b: 1}, {c: null}]}, sort: {a: 1}, limit: 5, $db: "hostile"})"),
      message_of(R"({update: "c", updates: [{q: {_id: 1}, u: {$set: {"a.0": 5}, $inc: {n: 1}}, upsert: true}], $db: "hostile"})"),
      message_of(R"({delete: "c", deletes: [{q: {a: 1}, limit: 1}], $db: "hostile"})"),
      message_of(R"({aggregate: "c", pipeline: [{$match: {a: 1}}, {$group: {_id: "$b", n: {$sum: "$c"}}}], cursor: {}, $db: "hostile"})"),
      message_of(R"({createIndexes: "c", indexes: [{key: {a: 1}, name: "a_1"}], $db: "hostile"})"),
      message_of(R"({findAndModify: "c", query: {_id: 1}, update: {$set: {z: 1}}, new: true, $db: "hostile"})"),
      message_of(R"({getMore: NumberLong(5), collection: "c", $db: "hostile"})"),
      op_query("hostile.$cmd", bytes_of(bson::parse_json("{isMaster: 1}").value())),
  };
  std::optional<Client> client(greeted());
  for (int i = 0; i < 4000; ++i) {
    Bytes message = random.pick(commands);
    Bytes payload(message.begin() + wire::kHeaderSize, message.end());
    mutate(payload, random);
    const std::int32_t opcode = bson::load<std::int32_t>(message.data() + 12);
    const Bytes changed = frame(payload, {.opcode = opcode});
    if (!client->send(changed) || !reaches_a_ping(*client)) client.emplace(greeted());
  }
}

}  // namespace
}  // namespace partita::test
