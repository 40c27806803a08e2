// SPDX-License-Identifier: GPL-3.0-or-later
//
// What clients see of collections that hold documents and are sharded, resharded, refined and put together again.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"
#include "wire/error/status.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;

class ReshardTest : public testing::Test {
 protected:
  ~ReshardTest() override {
    for (shards::FailPoint* point : shards::FailPoint::all()) point->set({});
  }
  std::string run(std::string_view command) { return server_.run(command); }
  std::string admin(std::string_view fields) { return run(detail::join("{", fields, ", $db: 'admin'}")); }
  void fill(int documents) {
    for (int id = 0; id < documents; id += 500) {
      std::string batch;
      for (int i = id; i < std::min(documents, id + 500); ++i) {
        batch += detail::join(batch.empty() ? "" : ", ", "{_id: ", i, ", region: 'r", i % 50, "', n: ", i, "}");
      }
      const std::string answer = run(detail::join("{insert: 'c', documents: [", batch, "]}"));
      ASSERT_EQ(answer.find("writeErrors"), std::string::npos) << answer;
    }
  }
  std::string count() { return run("{count: 'c', query: {n: {$gte: 0}}}"); }

  InProcess server_;
};

TEST_F(ReshardTest, ShardsACollectionThatHoldsDocuments) {
  fill(3000);
  EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}, numInitialChunks: 6"),
            "{_t: \"ShardCollectionResponse\", collectionsharded: \"test.c\", ok: 1.0}");
  EXPECT_EQ(count(), "{n: 3000, ok: 1.0}");
  EXPECT_EQ(run("{find: 'c', filter: {region: 'r7', _id: 7}, projection: {n: 1}}").substr(0, 53),
            "{cursor: {firstBatch: [{_id: 7, n: 7}], id: 0, ns: \"t");
  EXPECT_EQ(run("{find: 'c', filter: {_id: 1234}, projection: {n: 1}}").substr(0, 55),
            "{cursor: {firstBatch: [{_id: 1234, n: 1234}], id: 0, ns");
  const auto collection = server_.server().store.catalog().share()->share("test.c");
  EXPECT_EQ(collection->partitions.size(), 6U);
  // Again in the same way, and in another one.
  EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}"),
            "{_t: \"ShardCollectionResponse\", collectionsharded: \"test.c\", ok: 1.0}");
  EXPECT_NE(admin("shardCollection: 'test.c', key: {n: 1}").find("AlreadyInitialized"), std::string::npos);
}

TEST_F(ReshardTest, CutsARangedKeyWhereTheDocumentsAre) {
  fill(2000);
  admin("shardCollection: 'test.c', key: {n: 1}");
  const auto collection = server_.server().store.catalog().share()->share("test.c");
  ASSERT_EQ(collection->partitions.size(), 4U);
  for (const auto& slot : collection->partitions) EXPECT_NEAR(slot.partition->counters().total().documents, 500, 50);
  EXPECT_EQ(run("{find: 'c', filter: {n: {$gte: 998, $lt: 1003}}, projection: {n: 1, _id: 0}}").substr(0, 76),
            "{cursor: {firstBatch: [{n: 998}, {n: 999}, {n: 1000}, {n: 1001}, {n: 1002}],");
}

TEST_F(ReshardTest, RefusesWhatDoesNotFit) {
  fill(10);
  run("{insert: 'c', documents: [{_id: 100, region: ['a']}]}");
  EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}"),
            "{ok: 0.0, errmsg: \"Shard key cannot contain array values or array descendants.\", code: 61, codeName: "
            "\"ShardKeyNotFound\"}");
  run("{delete: 'c', deletes: [{q: {_id: 100}, limit: 1}]}");
  run("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n_1', unique: true}]}");
  EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}"),
            "{ok: 0.0, errmsg: \"can't shard collection 'test.c' with unique index on { n: 1 } and proposed shard key "
            "{ region: \\\"hashed\\\" }. Uniqueness can't be maintained unless shard key is a prefix\", code: 72, codeName: "
            "\"InvalidOptions\"}");
}

TEST_F(ReshardTest, Unshards) {
  fill(600);
  EXPECT_EQ(admin("unshardCollection: 'test.c'"),
            "{ok: 0.0, errmsg: \"Namespace must be sharded to perform an unshardCollection command\", code: 118, codeName: "
            "\"NamespaceNotSharded\"}");
  EXPECT_EQ(admin("unshardCollection: 'test.none'"),
            "{ok: 0.0, errmsg: \"ns not found: test.none\", code: 26, codeName: \"NamespaceNotFound\"}");
  admin("shardCollection: 'test.c', key: {region: 'hashed'}");
  EXPECT_EQ(admin("unshardCollection: 'test.c', toShard: 'elsewhere'"),
            "{ok: 0.0, errmsg: \"Shard elsewhere not found\", code: 70, codeName: \"ShardNotFound\"}");
  run("{insert: 'c', documents: [{_id: 5, region: 'twice', n: 1}]}");
  EXPECT_EQ(admin("unshardCollection: 'test.c'"),
            "{ok: 0.0, errmsg: \"E11000 duplicate key error collection: test.c index: _id_ dup key: { _id: 5 }\", code: 11000, "
            "codeName: \"DuplicateKey\", keyPattern: {_id: 1}, keyValue: {_id: 5}}");
  EXPECT_EQ(count(), "{n: 601, ok: 1.0}");
  run("{delete: 'c', deletes: [{q: {region: 'twice'}, limit: 1}]}");
  EXPECT_EQ(admin("unshardCollection: 'test.c'"), "{ok: 1.0}");
  EXPECT_EQ(count(), "{n: 600, ok: 1.0}");
  EXPECT_NE(run("{insert: 'c', documents: [{_id: 5, region: 'twice', n: 1}]}").find("code: 11000"), std::string::npos);
}

TEST_F(ReshardTest, Reshards) {
  fill(600);
  EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}"),
            "{ok: 0.0, errmsg: \"Namespace test.c must be sharded to perform a reshardCollection command\", code: 118, codeName: "
            "\"NamespaceNotSharded\"}");
  admin("shardCollection: 'test.c', key: {region: 'hashed'}");
  EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}, unique: true"),
            "{ok: 0.0, errmsg: \"The unique field must be false\", code: 2, codeName: \"BadValue\"}");
  EXPECT_NE(admin("reshardCollection: 'test.c', key: {n: 1}, collation: {locale: 'de'}").find("must be {locale: 'simple'}"),
            std::string::npos);
  EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}, unique: false, numInitialChunks: 3"), "{ok: 1.0}");
  const auto collection = server_.server().store.catalog().share()->share("test.c");
  EXPECT_EQ(collection->partitions.size(), 3U);
  EXPECT_EQ(count(), "{n: 600, ok: 1.0}");
  EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}"), "{ok: 1.0}") << "it has that key";
  EXPECT_EQ(server_.server().store.catalog().share()->share("test.c"), collection);
}

TEST_F(ReshardTest, Refines) {
  fill(600);
  EXPECT_EQ(admin("refineCollectionShardKey: 'test.none', key: {n: 1}"),
            "{ok: 0.0, errmsg: \"ns not found: test.none\", code: 26, codeName: \"NamespaceNotFound\"}");
  EXPECT_EQ(admin("refineCollectionShardKey: 'test.c', key: {n: 1}"),
            "{ok: 0.0, errmsg: \"refineCollectionShardKey namespace test.c is not sharded\", code: 118, codeName: "
            "\"NamespaceNotSharded\"}");
  admin("shardCollection: 'test.c', key: {region: 1}");
  const auto before = server_.server().store.catalog().share()->share("test.c");
  EXPECT_EQ(admin("refineCollectionShardKey: 'test.c', key: {n: 1, region: 1}"),
            "{ok: 0.0, errmsg: \"refineCollectionShardKey shard key { n: 1, region: 1 } does not extend the current shard key "
            "{ region: 1 }\", code: 72, codeName: \"InvalidOptions\"}");
  EXPECT_EQ(admin("refineCollectionShardKey: 'test.c', key: {region: 1}"), "{ok: 1.0}");
  EXPECT_EQ(admin("refineCollectionShardKey: 'test.c', key: {region: 1, n: 1}"), "{ok: 1.0}");
  const auto after = server_.server().store.catalog().share()->share("test.c");
  ASSERT_EQ(after->partitions.size(), before->partitions.size());
  for (std::size_t i = 0; i < after->partitions.size(); ++i) EXPECT_EQ(after->partitions[i].min, before->partitions[i].min);
  EXPECT_EQ(count(), "{n: 600, ok: 1.0}");
}

TEST_F(ReshardTest, SaysThatThereIsNothingToAbort) {
  EXPECT_EQ(admin("abortReshardCollection: 'test.c'"),
            "{ok: 0.0, errmsg: \"Could not find resharding metadata for test.c\", code: 339, codeName: "
            "\"NoSuchReshardCollection\"}");
  EXPECT_NE(admin("commitReshardCollection: 'test.c'").find("NoSuchReshardCollection"), std::string::npos);
  EXPECT_EQ(admin("cleanupReshardCollection: 'test.c'"), "{ok: 1.0}");
}

TEST_F(ReshardTest, ShowsHowFarItIsAndEndsWhenKilled) {
  fill(4000);
  shards::FailPoint& copied = *shards::FailPoint::find("rowsCopied");
  copied.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::parse_json("{blockTimeMS: 100}").value()});
  auto sharded = std::async(std::launch::async, [&] {
    Client client(server_.server());
    return client.run("{shardCollection: 'test.c', key: {region: 'hashed'}, $db: 'admin'}");
  });
  std::string shown;
  const std::string wanted = "Repartition: copying documents Repartition: copying documents: ";
  for (int i = 0; i < 200 && shown.find(wanted) == std::string::npos; ++i) {
    std::this_thread::sleep_for(10ms);
    shown = run("{currentOp: 1, 'command.shardCollection': 'test.c', $db: 'admin'}");
  }
  EXPECT_NE(shown.find(wanted), std::string::npos) << shown;
  EXPECT_NE(shown.find("total: 4000"), std::string::npos) << shown;
  const std::size_t at = shown.find("opid: ");
  ASSERT_NE(at, std::string::npos);
  admin(detail::join("killOp: 1, op: ", std::stoi(shown.substr(at + 6))));
  EXPECT_NE(sharded.get().find("Interrupted"), std::string::npos);
  copied.set({});
  EXPECT_EQ(server_.server().store.catalog().share()->share("test.c")->sharding, nullptr);
  EXPECT_EQ(count(), "{n: 4000, ok: 1.0}");
}

// Whatever a statement was noted under, its partition's successors know of it.
TEST_F(ReshardTest, KnowsEarlierStatements) {
  fill(50);
  const std::string session = "lsid: {id: {$uuid: '00000000-0000-0000-0000-000000000001'}}, txnNumber: {$numberLong: '1'}";
  const std::string by_id = detail::join("{update: 'c', updates: [{q: {_id: 7}, u: {$inc: {k: 1}}}], ", session, "}");
  const std::string by_field = detail::join("{update: 'c', updates: [{q: {n: 9}, u: {$inc: {k: 1}}, multi: false}], ",
                                            "lsid: {id: {$uuid: '00000000-0000-0000-0000-000000000002'}}, txnNumber: {$numberLong: '1'}}");
  EXPECT_EQ(run(by_id), "{n: 1, nModified: 1, ok: 1.0}");
  EXPECT_EQ(run(by_field), "{n: 1, nModified: 1, ok: 1.0}");
  const auto expect_known = [&] {
    EXPECT_EQ(run(by_id), "{n: 1, retriedStmtIds: [0], nModified: 1, ok: 1.0}");
    EXPECT_EQ(run(by_field), "{n: 1, retriedStmtIds: [0], nModified: 1, ok: 1.0}");
  };
  expect_known();
  admin("shardCollection: 'test.c', key: {region: 'hashed'}");
  expect_known();
  admin("reshardCollection: 'test.c', key: {n: 1}");
  expect_known();
  server_.crash();
  EXPECT_EQ(server_.client().run(by_id), "{n: 1, retriedStmtIds: [0], nModified: 1, ok: 1.0}");
  admin("unshardCollection: 'test.c'");
  expect_known();
  EXPECT_EQ(run("{count: 'c', query: {k: 1}}"), "{n: 2, ok: 1.0}");
}

TEST_F(ReshardTest, EndsCursorsOfTheOldOrder) {
  fill(300);
  const bson::Document first = server_.reply("{find: 'c', batchSize: 10}");
  const std::int64_t id = *first.view()["cursor"].as_document()["id"].exact_int64();
  admin("shardCollection: 'test.c', key: {region: 'hashed'}");
  const std::string answer = run(detail::join("{getMore: {$numberLong: '", id, "'}, collection: 'c'}"));
  EXPECT_NE(answer.find("code: 175, codeName: \"QueryPlanKilled\""), std::string::npos) << answer;
}

/// Holds a write to many documents after some of them, until it is let go.
class HeldWrite {
 public:
  HeldWrite(InProcess& server, std::string command, int after, int each_ms = 20)
      : held_(*shards::FailPoint::find("changedOneOfMany")) {
    const bson::Document wait = bson::parse_json(detail::join("{blockTimeMS: ", each_ms, "}")).value();
    held_.set({.mode = shards::FailPoint::Mode::kSkip, .count = after, .data = wait.copy()});
    const std::int64_t before = held_.fired();
    done_ = std::async(std::launch::async, [&server, command = std::move(command)] { return Client(server.server()).run(command); });
    while (held_.fired() == before) std::this_thread::sleep_for(1ms);
  }
  std::string end() {
    held_.set({});
    return done_.get();
  }

 private:
  shards::FailPoint& held_;
  std::future<std::string> done_;
};

TEST_F(ReshardTest, UpdatesManyThroughAnotherOrder) {
  fill(3000);
  for (const int after : {0, 1, 999, 1000, 2500}) {
    SCOPED_TRACE(after);
    run("{update: 'c', updates: [{q: {}, u: {$set: {k: 0}}, multi: true}]}");
    HeldWrite update(server_, "{update: 'c', updates: [{q: {}, u: {$inc: {k: 1}}, multi: true}]}", after);
    EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}").find("ok: 0"), std::string::npos);
    EXPECT_EQ(update.end(), "{n: 3000, nModified: 3000, ok: 1.0}");
    EXPECT_EQ(run("{count: 'c', query: {k: 1}}"), "{n: 3000, ok: 1.0}");
    EXPECT_EQ(admin("unshardCollection: 'test.c'"), "{ok: 1.0}");
  }
}

TEST_F(ReshardTest, UpdatesManyThroughSeveralOrders) {
  fill(3000);
  run("{createIndexes: 'c', indexes: [{key: {m: 1}, name: 'm_1'}]}");
  run("{update: 'c', updates: [{q: {}, u: {$set: {k: 0, m: 1}}, multi: true}]}");
  for (const char* filter : {"{}", "{m: {$gte: 0}}"}) {
    SCOPED_TRACE(filter);
    run("{update: 'c', updates: [{q: {}, u: {$set: {k: 0}}, multi: true}]}");
    HeldWrite update(server_, detail::join("{update: 'c', updates: [{q: ", filter, ", u: {$inc: {k: 1, m: 1}}, multi: true}]}"), 700);
    EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}").find("ok: 0"), std::string::npos);
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}"), "{ok: 1.0}");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(admin("unshardCollection: 'test.c'"), "{ok: 1.0}");
    EXPECT_EQ(update.end(), "{n: 3000, nModified: 3000, ok: 1.0}");
    EXPECT_EQ(run("{count: 'c', query: {k: 1}}"), "{n: 3000, ok: 1.0}");
  }
}

TEST_F(ReshardTest, DeletesManyThroughAnotherOrder) {
  fill(3000);
  HeldWrite removal(server_, "{delete: 'c', deletes: [{q: {n: {$gte: 100}}, limit: 0}]}", 1500);
  EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}").find("ok: 0"), std::string::npos);
  EXPECT_EQ(removal.end(), "{n: 2900, ok: 1.0}");
  EXPECT_EQ(count(), "{n: 100, ok: 1.0}");
}

TEST_F(ReshardTest, EndsAnUpdateThatCannotTellWhatItHasDone) {
  fill(2000);
  admin("shardCollection: 'test.c', key: {region: 1}");
  HeldWrite update(server_, "{update: 'c', updates: [{q: {}, u: {$inc: {k: 1}}, multi: true}]}", 1500, 2000);
  // It stands still until all this is done.
  EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}"), "{ok: 1.0}");
  // The key of before may hold anything now.
  run("{update: 'c', updates: [{q: {_id: 3}, u: {$set: {region: ['an', 'array']}}}]}");
  EXPECT_NE(update.end().find("code: 175"), std::string::npos);
  EXPECT_EQ(run("{count: 'c', query: {k: {$gt: 1}}}"), "{n: 0, ok: 1.0}");
}

// Nobody counts for the partitions of before any more: they stand still, which is no reason to hold them against what is there.
TEST_F(ReshardTest, LeavesACollectionValidAtAnyMoment) {
  fill(500);
  admin("shardCollection: 'test.c', key: {region: 1}");
  std::atomic<bool> stop{false};
  auto writer = std::async(std::launch::async, [&] {
    Client client(server_.server());
    for (int i = 0; !stop; ++i) {
      client.run(detail::join("{insert: 'c', documents: [{_id: ", 10000 + i, ", region: 'r", i % 50, "', n: ", i, "}]}"));
      client.run(detail::join("{delete: 'c', deletes: [{q: {_id: ", 10000 + i, "}, limit: 0}]}"));
    }
  });
  auto validator = std::async(std::launch::async, [&] {
    Client client(server_.server());
    int done = 0;
    for (; !stop; ++done) {
      const bson::Document found = client.reply("{validate: 'c', full: true}");
      if (!found["valid"].truthy()) return readable(found.view());
    }
    EXPECT_GT(done, 10);
    return std::string();
  });
  for (int round = 0; round < 30; ++round) {
    EXPECT_EQ(admin(detail::join("reshardCollection: 'test.c', key: {", round % 2 == 0 ? "n: 1" : "region: 'hashed'", "}")), "{ok: 1.0}");
  }
  stop = true;
  writer.get();
  EXPECT_EQ(validator.get(), "");
}

/// Updates and deletes by any filter hit each document once, whatever becomes of the collection meanwhile.
TEST_F(ReshardTest, MissesNoWriteThatLooksForItsDocument) {
  fill(400);
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  auto writer = std::async(std::launch::async, [&] {
    Client client(server_.server());
    for (int i = 0; !stop; ++i) {
      const std::string filter = i % 2 == 0 ? detail::join("{_id: ", i % 400, "}") : detail::join("{n: ", i % 400, "}");
      const std::string answer = client.run(detail::join("{update: 'c', updates: [{q: ", filter, ", u: {$inc: {k: 1}}}]}"));
      if (answer != "{n: 1, nModified: 1, ok: 1.0}") return answer;
      ++done;
    }
    return std::string();
  });
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(admin("shardCollection: 'test.c', key: {region: 'hashed'}").find("ok: 0"), std::string::npos);
    EXPECT_EQ(admin("reshardCollection: 'test.c', key: {n: 1}"), "{ok: 1.0}");
    EXPECT_EQ(admin("unshardCollection: 'test.c'"), "{ok: 1.0}");
    run("{dropIndexes: 'c', index: 'n_1'}");
  }
  stop = true;
  EXPECT_EQ(writer.get(), "");
  const bson::Document sum =
      server_.reply("{aggregate: 'c', pipeline: [{$group: {_id: null, k: {$sum: '$k'}}}], cursor: {}}");
  const bson::View row = sum.view()["cursor"].as_document()["firstBatch"].as_document()["0"].as_document();
  EXPECT_EQ(row["k"].exact_int64(), done.load());
}

}  // namespace
}  // namespace partita::test
