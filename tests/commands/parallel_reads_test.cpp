// SPDX-License-Identifier: GPL-3.0-or-later
// Queries over several partitions: what says how they are read, what they see while others write, how they fail and stop.
#include <gtest/gtest.h>

#include <thread>

#include "shards/router/record_keys.h"
#include "shards/router/write.h"
#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;
using namespace std::chrono_literals;

class ParallelReads : public testing::Test {
 protected:
  static constexpr std::int32_t kDocuments = 2000;

  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  void shard(int partitions) {
    send("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: " + std::to_string(partitions) + "}");
  }
  void fill(std::int32_t documents = kDocuments, std::size_t padding = 0) {
    const std::string pad(padding, 'x');
    for (std::int32_t first = 0; first < documents; first += 1000) {
      const Document command = Document::build([&](Writer& w) {
        w.add("insert", "c");
        bson::ArrayWriter array = w.array("documents");
        for (std::int32_t id = first; id < std::min(first + 1000, documents); ++id) {
          Writer one = array.document();
          one.add("_id", id);
          one.add("n", id % 10);
          one.add("amount", 100);
          if (padding > 0) one.add("pad", std::string_view(pad));
        }
      });
      const Document reply = server_.client().reply(command.view(), {});
      ASSERT_EQ(reply["ok"].to_double(), 1) << readable(reply.view());
    }
  }
  /// What explain says a query would be read by.
  std::string told(const std::string& query) {
    const Document reply = send("{explain: " + query + ", verbosity: 'queryPlanner'}");
    const bool pipeline = reply.view().has("shards");
    const bson::View partitions = at(reply.view(), pipeline ? "partitions" : "queryPlanner.partitions").as_document();
    return bson::to_json(partitions["maxDegreeOfParallelism"]) + " " + bson::to_json(partitions["maxBufferedItemCount"]);
  }
  void expect_refused(const std::string& command, std::string_view code, std::string_view field) {
    const Document reply = server_.reply(command);
    EXPECT_EQ(reply["codeName"].is_string() ? reply["codeName"].as_string() : "", code) << command << ": " << readable(reply.view());
    EXPECT_NE(reply["errmsg"].as_string().find(field), std::string_view::npos) << readable(reply.view());
  }
  static void set_fault(shards::FailPoint::Mode mode, const std::string& data) {
    shards::FailPoint::find("readPartition")->set({.mode = mode, .data = bson::parse_json(data).value()});
  }
  /// Of the engine's sessions none is kept but those that were in use before: the store's own threads have some now and then.
  void expect_nothing_held() {
    std::size_t now = sessions_in_use();
    for (int i = 0; i < 100 && now > idle_sessions_; ++i) {
      std::this_thread::sleep_for(10ms);
      now = std::min(now, sessions_in_use());
    }
    EXPECT_LE(now, idle_sessions_);
  }
  std::size_t sessions_in_use() { return server_.server().store.engine().sessions_in_use(); }
  std::int64_t partition_at(std::size_t place) {
    const auto* collection = server_.server().store.catalog().snapshot().find("test.c");
    return static_cast<std::int64_t>(collection->partitions[place].partition->id());
  }

  InProcess server_;
  const std::size_t idle_sessions_ = sessions_in_use();
};

TEST_F(ParallelReads, GoByTheRequestThenItsCommentThenTheCollectionThenTheServer) {
  shard(4);
  EXPECT_EQ(told("{find: 'c'}"), "-1 -1");
  send("{setParameter: 1, maxDegreeOfParallelism: 9, maxBufferedItemCount: 90}");
  EXPECT_EQ(told("{find: 'c'}"), "9 90");
  send("{collMod: 'c', maxDegreeOfParallelism: 3}");
  EXPECT_EQ(told("{find: 'c'}"), "3 90");
  EXPECT_EQ(told("{find: 'c', comment: {maxDegreeOfParallelism: 2, maxBufferedItemCount: 20, why: 'so'}}"), "2 20");
  EXPECT_EQ(told("{find: 'c', maxDegreeOfParallelism: 1, comment: {maxDegreeOfParallelism: 2, maxBufferedItemCount: 20}}"), "1 20");
  EXPECT_EQ(told("{count: 'c', query: {n: 1}, maxDegreeOfParallelism: 5}"), "5 90");
  EXPECT_EQ(told("{distinct: 'c', key: 'n', maxDegreeOfParallelism: 6}"), "6 90");
  EXPECT_EQ(told("{aggregate: 'c', pipeline: [{$match: {n: 1}}], cursor: {}, maxBufferedItemCount: 7}"), "3 7");
  send("{collMod: 'c', maxDegreeOfParallelism: null}");
  EXPECT_EQ(told("{find: 'c'}"), "9 90");
  send("{setParameter: 1, maxDegreeOfParallelism: -1, maxBufferedItemCount: -1}");
}

TEST_F(ParallelReads, RefuseWhatIsNoDegree) {
  shard(2);
  expect_refused("{find: 'c', maxDegreeOfParallelism: -2}", "BadValue", "find.maxDegreeOfParallelism");
  expect_refused("{find: 'c', filter: {_id: 1}, maxBufferedItemCount: 1.5}", "BadValue", "find.maxBufferedItemCount");
  expect_refused("{aggregate: 'c', pipeline: [], cursor: {}, maxDegreeOfParallelism: 'many'}", "TypeMismatch", "aggregate.maxDegreeOfParallelism");
  expect_refused("{count: 'c', comment: {maxDegreeOfParallelism: true}}", "TypeMismatch", "comment.maxDegreeOfParallelism");
  expect_refused("{distinct: 'c', key: 'n', maxBufferedItemCount: -7}", "BadValue", "distinct.maxBufferedItemCount");
  expect_refused("{collMod: 'c', maxDegreeOfParallelism: 0.5}", "BadValue", "collMod.maxDegreeOfParallelism");
  expect_refused("{collMod: 'c', timeseries: {}}", "CommandNotSupported", "timeseries");
  expect_refused("{collMod: 'nothing', maxDegreeOfParallelism: 1}", "NamespaceNotFound", "nothing");
  expect_refused("{setParameter: 1, maxDegreeOfParallelism: -2}", "BadValue", "maxDegreeOfParallelism");
}

TEST_F(ParallelReads, KeepTheCollectionsDefaultOverACrash) {
  shard(2);
  send("{collMod: 'c', maxBufferedItemCount: 11}");
  server_.crash();
  EXPECT_EQ(told("{find: 'c'}"), "-1 11");
}

TEST_F(ParallelReads, AskOnlyPartitionsThatCanHoldWhatIsWanted) {
  send("{shardCollection: 'test.c', key: {n: 'hashed', m: 1}, numInitialChunks: 16}");
  fill();
  send("{createIndexes: 'c', indexes: [{key: {amount: 1}, name: 'amount'}]}");
  const auto targets = [&](const std::string& filter) {
    const Document reply = send("{explain: {find: 'c', filter: " + filter + "}}");
    const bson::View partitions = at(reply.view(), "queryPlanner.partitions").as_document();
    EXPECT_EQ(at(reply.view(), "executionStats.executionStages.shards").as_document().count(),
              partitions["targeted"].as_document().count()) << readable(reply.view());
    return std::to_string(partitions["targeted"].as_document().count()) + " of " + bson::to_json(partitions["of"]) + " " +
           std::string(partitions["by"].as_string()) + " " +
           std::string(at(reply.view(), "queryPlanner.winningPlan.stage").as_string());
  };
  EXPECT_EQ(targets("{}"), "16 of 16 none SHARD_MERGE");
  EXPECT_EQ(targets("{m: 4}"), "16 of 16 none SHARD_MERGE");
  EXPECT_EQ(targets("{n: 4, m: 1}"), "1 of 16 equality SINGLE_SHARD");
  EXPECT_EQ(targets("{n: 4}"), "1 of 16 range SINGLE_SHARD");
  EXPECT_EQ(targets("{n: 4, amount: 100}"), "1 of 16 range SINGLE_SHARD");
}


TEST_F(ParallelReads, FindTheFirstWithoutReadingAll) {
  shard(16);
  fill();
  const Document reply = send("{explain: {find: 'c', filter: {n: {$gte: 0}}, limit: 1}}");
  EXPECT_LT(*at(reply.view(), "executionStats.totalDocsExamined").exact_int64(), 64) << readable(reply.view());
}

// ---- What they see while others write.

TEST_F(ParallelReads, NeverSeeHalfOfATransfer) {
  shard(16);
  fill(200);
  shards::Store& store = server_.server().store;
  const shards::Namespace ns("test", "c");
  std::atomic<bool> done{false};
  const auto change = [&](shards::WriteAttempt& attempt, int id, int by) -> Status {
    bson::Buffer key;
    shards::append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
    TRY(const shards::PartitionSlot* slot, attempt.enter(key.bytes()));
    TRY(shards::Cursor cursor, attempt.session().cursor(slot->partition->records()));
    TRY(const bool there, cursor.find(key.bytes()));
    if (!there) return error(Code::NoSuchKey, "no document ", id);
    const Document before(bson::View::trusted(cursor.value().data()));
    const Document after = Document::build([&](Writer& w) {
      for (const bson::Field& field : before.view()) {
        if (field.name == "amount") w.add("amount", static_cast<std::int32_t>(*field.value.exact_int64() + by));
        else w.add(field);
      }
    });
    return attempt.unit().update(*slot, cursor, key.bytes(), before, after);
  };
  std::atomic<int> transfers{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 2; ++writer) {
    writers.emplace_back([&, writer] {
      std::mt19937 random(static_cast<unsigned>(writer));
      while (!done) {
        const int from = static_cast<int>(random() % 200), to = static_cast<int>(random() % 200);
        if (from == to) continue;
        const Status moved = shards::write(store, ns, {}, [&](shards::WriteAttempt& attempt) -> Status {
          CHECK_OK(change(attempt, std::min(from, to), from < to ? -1 : 1));
          return change(attempt, std::max(from, to), from < to ? 1 : -1);
        });
        EXPECT_TRUE(moved.ok()) << moved.message();
        ++transfers;
      }
    });
  }
  const auto until = std::chrono::steady_clock::now() + 2s;
  int rounds = 0;
  for (; std::chrono::steady_clock::now() < until; ++rounds) {
    const std::string how = ", maxDegreeOfParallelism: " + std::to_string(rounds % 4 * 2 - 1) + "}";
    const Document sum = send("{aggregate: 'c', pipeline: [{$group: {_id: null, sum: {$sum: '$amount'}, n: {$sum: 1}}}], cursor: {}" + how);
    const bson::View row = at(sum.view(), "cursor.firstBatch.0").as_document();
    ASSERT_EQ(row["sum"].exact_int64(), 200 * 100) << readable(sum.view());
    // A cursor of several batches sees one moment as well.
    std::int64_t amount = 0;
    Document reply = send("{find: 'c', batchSize: 30" + how);
    std::string_view part = "firstBatch";
    while (true) {
      const bson::View cursor = reply["cursor"].as_document();
      for (const bson::Field& one : cursor[part].as_document()) amount += *one.value.as_document()["amount"].exact_int64();
      if (cursor["id"].as_int64() == 0) break;
      part = "nextBatch";
      reply = send("{getMore: {$numberLong: '" + std::to_string(cursor["id"].as_int64()) + "'}, collection: 'c', batchSize: 40}");
    }
    ASSERT_EQ(amount, 200 * 100);
  }
  done = true;
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(rounds, 3);
  EXPECT_GT(transfers, 10);
}

TEST_F(ParallelReads, TakeAnotherMomentWhenTheirsWasGivenUp) {
  shard(4);
  fill(400);
  server_.server().store.past_pins().set_longest(1ms);
  const Document first = send("{find: 'c', sort: {_id: 1}, batchSize: 10, maxDegreeOfParallelism: 2}");
  const Document walk = send("{find: 'c', batchSize: 10, maxDegreeOfParallelism: 2}");
  for (int i = 0; i < 20; ++i) {  // Until the past is cut off.
    send("{update: 'c', updates: [{q: {_id: 399}, u: {$inc: {amount: 1}}}]}");
    std::this_thread::sleep_for(20ms);
  }
  const std::string id = std::to_string(walk["cursor"].as_document()["id"].as_int64());
  const Document rest = send("{getMore: {$numberLong: '" + id + "'}, collection: 'c', batchSize: 1000}");
  EXPECT_EQ(at(rest.view(), "cursor.nextBatch").as_document().count(), 390U);
}

// ---- How they fail and stop.

TEST_F(ParallelReads, FailOnceAndNameThePartition) {
  shard(8);
  fill();
  const std::string id = std::to_string(partition_at(5));
  set_fault(shards::FailPoint::Mode::kAlways, "{partition: " + id + ", errorCode: 96}");
  for (const char* command : {"{find: 'c', filter: {n: 3}, batchSize: 1000", "{find: 'c', sort: {n: 1}, batchSize: 1000",
                              "{count: 'c', query: {n: 3}", "{distinct: 'c', key: 'n'",
                              "{aggregate: 'c', pipeline: [{$group: {_id: '$n', s: {$sum: 1}}}], cursor: {}"}) {
    for (const char* degree : {"0", "2", "7", "-1"}) {
      const Document reply = server_.reply(std::string(command) + ", maxDegreeOfParallelism: " + degree + "}");
      EXPECT_EQ(reply["code"].exact_int64(), 96) << command << " " << degree << readable(reply.view());
      EXPECT_NE(reply["errmsg"].as_string().find("partition " + id + ":"), std::string_view::npos) << readable(reply.view());
    }
  }
  for (const char* sort : {"{}", "{amount: 1}"}) {
    const Document partial = send("{find: 'c', sort: " + std::string(sort) + ", batchSize: 5000, allowPartialResults: true}");
    EXPECT_TRUE(at(partial.view(), "cursor.partialResultsReturned").truthy()) << readable(partial.view());
    EXPECT_EQ(std::to_string(*at(partial.view(), "cursor.failedPartitions.0.partition").exact_int64()), id);
    const std::size_t rows = at(partial.view(), "cursor.firstBatch").as_document().count();
    EXPECT_TRUE(rows > kDocuments / 2 && rows < kDocuments) << rows;
  }
  set_fault(shards::FailPoint::Mode::kOff, "{}");
  expect_nothing_held();
}

TEST_F(ParallelReads, StopAllLegsWhenTheirTimeIsUp) {
  shard(16);
  fill(40'000);
  for (const char* command : {"{find: 'c', filter: {$expr: {$lt: [{$add: ['$n', 1, 2, 3]}, 0]}}", "{count: 'c', query: {$expr: {$lt: [{$add: ['$n', 1, 2]}, 0]}}",
                              "{aggregate: 'c', pipeline: [{$sort: {n: 1, amount: 1}}, {$match: {n: -1}}], cursor: {}"}) {
    const Document reply = server_.reply(std::string(command) + ", maxTimeMS: 2, maxDegreeOfParallelism: 4}");
    if (reply["ok"].to_double() != 1) {
      EXPECT_EQ(reply["codeName"].as_string(), "MaxTimeMSExpired") << readable(reply.view());
    }
    expect_nothing_held();
  }
}

TEST_F(ParallelReads, StopWhenTheCursorIsKilledInUse) {
  shard(16);
  fill(20'000);
  const Document first = send("{find: 'c', filter: {$expr: {$or: [{$eq: ['$_id', 0]}, {$eq: ['$_id', 1]}, {$lt: ['$n', 1]}]}}, batchSize: 1, maxDegreeOfParallelism: 2, maxBufferedItemCount: 1}");
  const std::string id = std::to_string(first["cursor"].as_document()["id"].as_int64());
  set_fault(shards::FailPoint::Mode::kAlways, "{blockTimeMS: 50}");
  Client other(server_.server());
  Document more;
  std::thread reader([&] { more = other.reply("{getMore: {$numberLong: '" + id + "'}, collection: 'c', batchSize: 100000}"); });
  std::this_thread::sleep_for(100ms);
  const Document killed = send("{killCursors: 'c', cursors: [{$numberLong: '" + id + "'}]}");
  EXPECT_EQ(killed["cursorsKilled"].as_document().count(), 1U);
  reader.join();
  set_fault(shards::FailPoint::Mode::kOff, "{}");
  EXPECT_EQ(more["codeName"].is_string() ? more["codeName"].as_string() : "", "CursorKilled") << readable(more.view());
  expect_nothing_held();
}

TEST_F(ParallelReads, HoldNothingOfTheEngineBetweenBatches) {
  shard(16);
  fill();
  for (const char* query : {"{find: 'c', batchSize: 5, maxDegreeOfParallelism: 7}", "{find: 'c', sort: {n: 1}, batchSize: 5, maxDegreeOfParallelism: 7}",
                            "{aggregate: 'c', pipeline: [{$match: {n: 3}}], cursor: {batchSize: 5}, maxDegreeOfParallelism: 7}"}) {
    const Document reply = send(query);
    EXPECT_NE(at(reply.view(), "cursor.id").as_int64(), 0);
    expect_nothing_held();
  }
}

}  // namespace
}  // namespace partita::test
