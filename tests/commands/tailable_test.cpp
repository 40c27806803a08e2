// SPDX-License-Identifier: GPL-3.0-or-later
// Cursors that stay at the end of a capped collection: how their clients wait, and what ends that; writers beside them, and
// what a crash leaves.
#include <gtest/gtest.h>

#include <thread>

#include "shards/expiry/ttl_monitor.h"
#include "shards/router/record_keys.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::vector<std::int64_t> ids_of(const bson::Document& reply, std::string_view batch) {
  std::vector<std::int64_t> ids;
  for (const auto& [place, document] : reply["cursor"].as_document()[batch].as_document()) {
    ids.push_back(document.as_document()["_id"].exact_int64().value());
  }
  return ids;
}

class Tailable : public ::testing::Test {
 protected:
  using Ids = std::vector<std::int64_t>;

  void SetUp() override {
    create("{create: 'c', capped: true, size: 100000}");
    insert(1);
  }
  void create(std::string_view command) { ASSERT_EQ(server_.run(command), "{ok: 1.0}"); }
  void insert(int id) {
    test::Client other(server_.server());
    ASSERT_EQ(other.run("{insert: 'c', documents: [{_id: " + std::to_string(id) + "}]}"), "{n: 1, ok: 1.0}");
  }
  /// Opened by a client that waits for what comes.
  void open(std::string_view more = "") {
    const bson::Document reply = server_.reply("{find: 'c', tailable: true, awaitData: true" + std::string(more) + "}");
    cursor_ = reply["cursor"].as_document()["id"].as_int64();
    ASSERT_NE(cursor_, 0);
  }
  std::string get_more(std::string_view more = "") const {
    return "{getMore: {$numberLong: '" + std::to_string(cursor_) + "'}, collection: 'c'" + std::string(more) + "}";
  }
  /// What the client that waits is told, when something else happens after a while.
  bson::Document while_waiting(const std::function<void()>& event, std::string_view more = ", maxTimeMS: 60000") {
    const auto began = Clock::now();
    std::thread other([&] {
      wait_until_it_waits();
      event();
    });
    bson::Document reply = server_.reply(get_more(more));
    other.join();
    EXPECT_LT(Clock::now() - began, 30s) << "it waited for its time";
    return reply;
  }
  void wait_until_it_waits() {
    test::Client other(server_.server());
    for (int i = 0; i < 10'000; ++i) {
      const std::string seen = other.run("{currentOp: 1, op: 'getmore'}");
      if (seen.find("getMore") != std::string::npos) break;
      std::this_thread::sleep_for(1ms);
    }
    std::this_thread::sleep_for(20ms);
  }

  test::InProcess server_;
  std::int64_t cursor_ = 0;
};

TEST_F(Tailable, WaitsForAnInsert) {
  open();
  const bson::Document reply = while_waiting([&] { insert(2); });
  EXPECT_EQ(ids_of(reply, "nextBatch"), (Ids{2}));
  EXPECT_EQ(reply["cursor"].as_document()["id"].as_int64(), cursor_);
}

TEST_F(Tailable, DoesNotWaitForWhatIsThere) {
  open();
  insert(2);
  const auto began = Clock::now();
  EXPECT_EQ(ids_of(server_.reply(get_more(", maxTimeMS: 60000")), "nextBatch"), (Ids{2}));
  EXPECT_LT(Clock::now() - began, 30s);
}

TEST_F(Tailable, IsNotWokenByWhatDoesNotMatch) {
  open(", filter: {_id: {$gt: 5}}");
  const bson::Document reply = while_waiting([&] {
    for (const int id : {2, 3, 7}) insert(id);
  });
  EXPECT_EQ(ids_of(reply, "nextBatch"), (Ids{7}));
}

TEST_F(Tailable, WaitsASecondOrAsLongAsItIsTold) {
  open();
  auto began = Clock::now();
  EXPECT_EQ(ids_of(server_.reply(get_more(", maxTimeMS: 200")), "nextBatch"), Ids());
  EXPECT_GE(Clock::now() - began, 200ms);
  EXPECT_LT(Clock::now() - began, 900ms);
  began = Clock::now();
  EXPECT_EQ(ids_of(server_.reply(get_more()), "nextBatch"), Ids());
  EXPECT_GE(Clock::now() - began, 1000ms);
}

TEST_F(Tailable, IsBusyWhileItsClientWaits) {
  open();
  std::string second;
  while_waiting([&] {
    test::Client other(server_.server());
    second = other.run(get_more());
    insert(2);
  });
  EXPECT_NE(second.find("CursorInUse"), std::string::npos) << second;
}

TEST_F(Tailable, EndsWhenItIsKilled) {
  open();
  const bson::Document reply = while_waiting([&] {
    test::Client other(server_.server());
    other.run("{killCursors: 'c', cursors: [{$numberLong: '" + std::to_string(cursor_) + "'}]}");
  });
  EXPECT_EQ(reply["codeName"].as_string(), "CursorKilled");
  EXPECT_EQ(server_.server().cursors.open_count(), 0u);
}

TEST_F(Tailable, EndsWithItsOperation) {
  open();
  const bson::Document reply = while_waiting([&] {
    server_.server().connections.for_each([](ClientConnection& client) {
      if (client.current().id != 0) client.current().killed.kill();
    });
  });
  EXPECT_EQ(reply["codeName"].as_string(), "Interrupted");
  EXPECT_EQ(server_.server().cursors.open_count(), 0u);
}

TEST_F(Tailable, EndsWithItsCollection) {
  open();
  const bson::Document reply = while_waiting([&] {
    test::Client other(server_.server());
    other.run("{drop: 'c'}");
  });
  EXPECT_EQ(reply["codeName"].as_string(), "QueryPlanKilled");
}

TEST_F(Tailable, EndsWithItsClient) {
  open();
  {
    test::Client waiting(server_.server());
    const bson::Document command = bson::parse_json(get_more(", maxTimeMS: 60000, $db: 'test'")).value();
    wire::Request request;
    request.body = command.view();
    request.id = 1;
    bson::Buffer out;
    ASSERT_EQ(waiting.connection().serve(request, out, false), wire::Next::kWorker);
    ASSERT_EQ(waiting.connection().serve(request, out, true), wire::Next::kWait);
    waiting.connection().on_wait([] {});
    EXPECT_EQ(server_.server().cursors.open_count(), 1u);
  }
  EXPECT_EQ(server_.server().cursors.open_count(), 0u);
  insert(2);  // Wakes nobody.
}

TEST_F(Tailable, GoesOnAsAStream) {
  open();
  insert(2);
  EXPECT_EQ(ids_of(server_.client().reply(get_more(), {.exhaust_allowed = true}), "nextBatch"), (Ids{2}));
  std::thread other([&] {
    wait_until_it_waits();
    insert(3);
  });
  EXPECT_EQ(ids_of(server_.client().next_reply(), "nextBatch"), (Ids{3}));
  other.join();
}

TEST_F(Tailable, SeesAllThatManyWriteInOneOrder) {
  constexpr int kWriters = 4;
  constexpr int kEach = 100;
  open();
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 0; i < kEach; ++i) insert(1000 * (writer + 1) + i);
    });
  }
  Ids seen;
  while (seen.size() < std::size_t{kWriters} * kEach) {
    const Ids more = ids_of(server_.reply(get_more(", maxTimeMS: 10000")), "nextBatch");
    if (more.empty()) break;
    seen.insert(seen.end(), more.begin(), more.end());
  }
  for (std::thread& writer : writers) writer.join();
  Ids all = ids_of(server_.reply("{find: 'c', batchSize: 1000, filter: {_id: {$gte: 1000}}, hint: {$natural: 1}}"), "firstBatch");
  EXPECT_EQ(all.size(), std::size_t{kWriters} * kEach);
  EXPECT_EQ(seen, all);
}

class Capped : public ::testing::Test {
 protected:
  using Ids = std::vector<std::int64_t>;
  Ids found(std::string_view find = "{find: 'c', batchSize: 1000}") { return ids_of(server_.reply(find), "firstBatch"); }
  void insert(int from, int to) {
    std::string documents;
    for (int id = from; id < to; ++id) documents += "{_id: " + std::to_string(id) + ", a: " + std::to_string(-id) + "},";
    documents.pop_back();
    const bson::Document reply = server_.reply("{insert: 'c', documents: [" + documents + "]}");
    ASSERT_EQ(reply["n"].exact_int64(), to - from);
  }
  test::InProcess server_;
};

TEST_F(Capped, StaysWhatItIsAfterACrash) {
  ASSERT_EQ(server_.run("{create: 'c', capped: true, size: 100000, max: 5}"), "{ok: 1.0}");
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1', unique: true}]}");
  insert(0, 12);
  server_.crash();
  EXPECT_EQ(found(), (Ids{7, 8, 9, 10, 11}));
  insert(3, 6);
  EXPECT_EQ(found(), (Ids{10, 11, 3, 4, 5}));
  EXPECT_EQ(found("{find: 'c', hint: 'a_1'}"), (Ids{11, 10, 5, 4, 3}));
  EXPECT_EQ(found("{find: 'c', sort: {$natural: -1}}"), (Ids{5, 4, 3, 11, 10}));
  const bson::Document checked = server_.reply("{validate: 'c'}");
  EXPECT_TRUE(checked["valid"].as_bool());
  EXPECT_EQ(server_.reply("{count: 'c'}")["n"].exact_int64(), 5);
  server_.crash();
  server_.run("{delete: 'c', deletes: [{q: {}, limit: 0}]}");
  insert(20, 22);
  EXPECT_EQ(found(), (Ids{20, 21}));
}

TEST_F(Capped, MakesRoomWithinOneCommand) {
  ASSERT_EQ(server_.run("{create: 'c', capped: true, size: 256}"), "{ok: 1.0}");
  insert(0, 3000);
  const Ids last = found();
  EXPECT_EQ(last.back(), 2999);
  EXPECT_EQ(last.size(), 256u / 21);  // Of 21 bytes each.
  server_.crash();
  EXPECT_EQ(found(), last);
}

TEST_F(Capped, IsNotDivided) {
  ASSERT_EQ(server_.run("{create: 'c', capped: true, size: 4096}"), "{ok: 1.0}");
  EXPECT_EQ(server_.reply("{shardCollection: 'test.c', key: {_id: 1}, $db: 'admin'}")["codeName"].as_string(), "InvalidOptions");
  insert(0, 2);
  EXPECT_EQ(server_.reply("{shardCollection: 'test.c', key: {a: 'hashed'}, $db: 'admin'}")["codeName"].as_string(), "InvalidOptions");
  EXPECT_EQ(found(), (Ids{0, 1}));
}

TEST_F(Capped, RepeatsNoStatement) {
  ASSERT_EQ(server_.run("{create: 'c', capped: true, size: 4096}"), "{ok: 1.0}");
  constexpr std::string_view kSession = ", lsid: {id: {$uuid: '00112233-4455-6677-8899-aabbccddeeff'}}, txnNumber: {$numberLong: '1'}}";
  const std::string insertion = "{insert: 'c', documents: [{_id: 1}]" + std::string(kSession);
  EXPECT_EQ(server_.reply(insertion)["n"].exact_int64(), 1);
  const bson::Document again = server_.reply(insertion);
  EXPECT_EQ(again["n"].exact_int64(), 1);
  EXPECT_TRUE(again["writeErrors"].missing());
  EXPECT_EQ(found(), (Ids{1}));
}

TEST_F(Capped, ReplacesACollectionWholly) {
  insert(0, 500);
  ASSERT_EQ(server_.run("{convertToCapped: 'c', size: 1000}"), "{ok: 1.0}");
  const Ids last = found();
  ASSERT_FALSE(last.empty());
  EXPECT_EQ(last.back(), 499);
  EXPECT_LE(last.size() * 21, 1024u);
  server_.crash();
  EXPECT_EQ(found(), last);
  EXPECT_EQ(server_.reply("{listCollections: 1}")["cursor"].as_document()["firstBatch"].as_document().count(), 1u);
}

TEST_F(Capped, KeepsItsLimitsUnderAnotherName) {
  ASSERT_EQ(server_.run("{create: 'c', capped: true, size: 4096, max: 2}"), "{ok: 1.0}");
  insert(0, 3);
  ASSERT_EQ(server_.run("{renameCollection: 'test.c', to: 'other.d'}"), "{ok: 1.0}");
  ASSERT_EQ(server_.run("{renameCollection: 'other.d', to: 'test.c'}"), "{ok: 1.0}");
  insert(5, 6);
  EXPECT_EQ(found(), (Ids{2, 5}));
}

TEST_F(Capped, ExpiresByTheDateInAnIdWhereThatIsClustered) {
  ASSERT_EQ(server_.run("{create: 'c', clusteredIndex: {key: {_id: 1}, unique: true}, expireAfterSeconds: 3600}"), "{ok: 1.0}");
  server_.run("{insert: 'c', documents: [{_id: {$date: '2001-01-01T00:00:00Z'}}, {_id: {$date: '2999-01-01T00:00:00Z'}}, {_id: 1}]}");
  server_.server().store.ttl().pass();
  EXPECT_EQ(server_.reply("{count: 'c'}")["n"].exact_int64(), 2);
  EXPECT_EQ(server_.reply("{count: 'c', query: {_id: {$lt: {$date: '2020-01-01T00:00:00Z'}}}}")["n"].exact_int64(), 0);
}

TEST_F(Capped, NumbersLieInTheirOrder) {
  std::string last;
  for (const std::uint64_t number : {1ull, 2ull, 255ull, 256ull, 65'536ull, 1ull << 40, ~0ull}) {
    const std::string key = shards::key_of_number(number);
    EXPECT_LT(last, key);
    EXPECT_EQ(shards::number_of_key(shards::bytes_of(key)), number);
    last = key;
  }
}

}  // namespace
}  // namespace partita::commands
