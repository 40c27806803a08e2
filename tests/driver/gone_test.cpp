// SPDX-License-Identifier: GPL-3.0-or-later
// Clients that go away in the middle of a query over several partitions: with their socket goes all that worked for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "tests/driver/server.h"
#include "tests/wire/net/client.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class Gone : public testing::Test {
 protected:
  void SetUp() override {
    must_run(client_.get(), R"({"shardCollection": "driver.gone", "key": {"_id": "hashed"}, "numInitialChunks": 8})", "admin");
    std::string documents;
    for (int id = 0; id < 500; ++id) documents += (id == 0 ? "" : ", ") + std::string(R"({"_id": )") + std::to_string(id) + "}";
    must_run(client_.get(), R"({"insert": "gone", "documents": [)" + documents + "]}");
  }
  void TearDown() override { must_run(client_.get(), R"({"drop": "gone"})"); }

  std::int64_t status(const char* field) const { return number_of(client_.get(), R"({"serverStatus": 1})", field, "admin"); }
  std::int64_t running() const { return status("connections.active") - 1; }  // Not counting who asks.
  /// How long until it is so.
  static Clock::duration wait_until(const std::function<bool()>& is_so) {
    const auto begin = Clock::now();
    while (!is_so() && Clock::now() - begin < 10s) std::this_thread::sleep_for(1ms);
    return Clock::now() - begin;
  }

  client::Client client_ = Server::shared().connect();
};

TEST_F(Gone, TakesItsQueryAlong) {
  const FailPoint held(client_.get(), "readPartition", R"("mode": "alwaysOn", "data": {"blockTimeMS": 120000})");
  const std::int64_t cursors = status("metrics.cursor.open.total");
  std::vector<Clock::duration> times;
  for (const char* query : {R"(find: "gone", filter: {a: 1})", R"(find: "gone", sort: {a: 1})", R"(find: "gone", batchSize: 2)",
                            R"(aggregate: "gone", pipeline: [{$group: {_id: null, n: {$sum: 1}}}], cursor: {})",
                            R"(count: "gone", query: {a: 1})", R"(distinct: "gone", key: "a")"}) {
    for (const char* degree : {"0", "2", "-1"}) {
      SCOPED_TRACE(std::string(query) + " at " + degree);
      Client client(static_cast<std::uint16_t>(Server::shared().process().port()));
      const std::string command = "{" + std::string(query) + ", maxDegreeOfParallelism: " + degree + R"(, $db: "driver"})";
      const bson::Document body = bson::parse_json(command).value();
      ASSERT_TRUE(client.send(op_msg(0, body_section(body))));
      ASSERT_LT(wait_until([&] { return running() == 1; }), 5s);
      client.close();
      times.push_back(wait_until([&] { return running() == 0; }));
      EXPECT_LT(times.back(), 1s);
      EXPECT_EQ(status("partita.legThreads.helping"), 0);
      EXPECT_EQ(status("metrics.cursor.open.total"), cursors);
      EXPECT_LT(wait_until([&] { return status("partita.sessions.inUse") == 0; }), 1s) << "engine sessions stay leased";
    }
  }
  std::ranges::sort(times);
  EXPECT_LT(times[times.size() / 2], 50ms);
}

TEST_F(Gone, TakesACursorAlongThatItWaitsFor) {
  must_run(client_.get(), R"({"create": "tail", "capped": true, "size": 4096})");
  must_run(client_.get(), R"({"insert": "tail", "documents": [{"_id": 1}]})");
  const std::int64_t cursors = status("metrics.cursor.open.total");
  Client client(static_cast<std::uint16_t>(Server::shared().process().port()));
  const auto send = [&](const std::string& command) {
    const bson::Document body = bson::parse_json(command).value();
    return client.send(op_msg(0, body_section(body)));
  };
  ASSERT_TRUE(send(R"({find: "tail", tailable: true, awaitData: true, $db: "driver"})"));
  const Bytes reply = client.receive();
  const std::string id = std::to_string(read_reply(reply).body["cursor"].as_document()["id"].as_int64());
  ASSERT_TRUE(send(R"({getMore: {$numberLong: ")" + id + R"("}, collection: "tail", maxTimeMS: 120000, $db: "driver"})"));
  ASSERT_LT(wait_until([&] { return running() == 1; }), 5s);
  EXPECT_EQ(status("metrics.cursor.open.total"), cursors + 1);
  client.close();
  EXPECT_LT(wait_until([&] { return status("metrics.cursor.open.total") == cursors; }), 1s);
  must_run(client_.get(), R"({"drop": "tail"})");
}

}  // namespace
}  // namespace partita::test
