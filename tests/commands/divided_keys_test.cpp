// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collections whose user lets the documents of one shard key lie in several partitions, divided by their _id: that each is
// found once, who is asked, what single-document writes touch, how bounds are told, and what cannot go with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "shards/store.h"
#include "tests/commands/balance_settings.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class DividedKeys : public testing::Test {
 protected:
  std::string run(const std::string& command) { return server_.run(command); }
  std::string admin(const std::string& command) { return server_.run("{" + command + ", $db: 'admin'}"); }
  void shard(const std::string& key, const std::string& more = "") {
    EXPECT_THAT(admin("shardCollection: 'test.c', key: " + key + ", splitLogicalPartitions: true" + more), HasSubstr("ok: 1.0"));
  }
  /// {_id: n, k: 'hot', n: n}
  void insert(int first, int end) {
    std::string documents;
    for (int i = first; i < end; ++i) documents += ::partita::detail::join(i > first ? ", " : "", "{_id: ", i, ", k: 'hot', n: ", i, "}");
    ASSERT_EQ(run("{insert: 'c', documents: [" + documents + "]}"), ::partita::detail::join("{n: ", end - first, ", ok: 1.0}"));
  }
  void split(const std::string& find) { EXPECT_EQ(admin("split: 'test.c', find: " + find), "{ok: 1.0}"); }
  std::int64_t count(const std::string& filter) {
    return server_.reply("{count: 'c', query: " + filter + "}")["n"].exact_int64().value_or(-1);
  }
  /// How many partitions a query asks.
  std::size_t asked(const std::string& filter) {
    const bson::Document reply = server_.reply("{explain: {find: 'c', filter: " + filter + "}, verbosity: 'queryPlanner'}");
    return reply.view().at_path("queryPlanner.partitions.targeted").as_document().count();
  }
  std::shared_ptr<const shards::Collection> now() { return server_.server().store.catalog().share()->share("test.c"); }
  std::uint32_t id_at(std::size_t place) { return static_cast<std::uint32_t>(now()->partitions[place].partition->id()); }
  /// Of partitionStats, in the order of the map: {min, max}.
  std::vector<std::pair<std::string, std::string>> ranges() {
    std::vector<std::pair<std::string, std::string>> ranges;
    const bson::Document reply = server_.reply("{partitionStats: 'c'}");
    for (const auto& [name, one] : reply["partitions"].as_document()) {
      ranges.emplace_back(readable(one.as_document()["min"].as_document()), readable(one.as_document()["max"].as_document()));
    }
    return ranges;
  }
  void expect_sound() {
    EXPECT_TRUE(server_.reply("{validate: 'c'}")["valid"].truthy());
    EXPECT_THAT(run("{checkMetadataConsistency: 'c', $db: 'test'}"), HasSubstr("firstBatch: []"));
  }

  BalanceSettings balance_;
  InProcess server_;
};

TEST_F(DividedKeys, ASingleKeyIsSplitWhileItIsWrittenTo) {
  shard("{k: 1}");
  shards::BalanceOptions& options = *balance_;
  options.partition_bytes = 4'000;
  options.splits = true;
  constexpr int kWriters = 3, kEach = 400;
  std::atomic<int> changed{0};
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      Client client(server_.server());
      for (int i = 0; i < kEach; ++i) {
        const int id = i * kWriters + w;
        EXPECT_EQ(client.run(::partita::detail::join("{insert: 'c', documents: [{_id: ", id, ", k: 'hot', n: 0}]}")), "{n: 1, ok: 1.0}");
        // Without its _id: which one is changed is the server's choice, but it is one.
        if (i % 4 == 0) changed += client.run("{update: 'c', updates: [{q: {k: 'hot'}, u: {$inc: {n: 1}}}]}") == "{n: 1, nModified: 1, ok: 1.0}";
      }
    });
  }
  std::int64_t seen = 0;
  while (seen < kWriters * kEach / 2) {  // What readers see only grows.
    const std::int64_t now_there = count("{k: 'hot'}");
    EXPECT_GE(now_there, seen);
    seen = now_there;
  }
  writers.clear();
  for (int i = 0; i < 300 && now()->partitions.size() < 8; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_GE(now()->partitions.size(), 8u);
  options.splits = false;
  EXPECT_EQ(changed, kWriters * kEach / 4);
  EXPECT_EQ(count("{k: 'hot'}"), kWriters * kEach);
  const bson::Document sums = server_.reply("{aggregate: 'c', pipeline: [{$group: {_id: '$k', n: {$sum: 1}, s: {$sum: '$n'}, least: {$min: '$_id'}, "
                                            "most: {$max: '$_id'}}}], cursor: {}}");
  EXPECT_EQ(readable(sums.view().at_path("cursor.firstBatch").as_document()),
            ::partita::detail::join("{\"0\": {_id: \"hot\", n: ", kWriters * kEach, ", s: ", changed.load(), ", least: 0, most: ", kWriters * kEach - 1, "}}"));
  expect_sound();
  server_.crash();
  EXPECT_EQ(count("{k: 'hot'}"), kWriters * kEach);
  expect_sound();
}

TEST_F(DividedKeys, AskThosePartitionsThatHoldTheKey) {
  shard("{k: 1}");
  insert(0, 100);
  EXPECT_THAT(run("{insert: 'c', documents: [{_id: 1, k: 'a'}, {_id: 2, k: 'z'}]}"), HasSubstr("n: 2"));
  for (const char* middle : {"{k: 'hot'}", "{k: 'hot', _id: 25}", "{k: 'hot', _id: 50}", "{k: 'i'}"}) {
    EXPECT_EQ(admin(std::string("split: 'test.c', middle: ") + middle), "{ok: 1.0}");
  }
  ASSERT_EQ(now()->partitions.size(), 5u);
  EXPECT_EQ(asked("{}"), 5u);
  EXPECT_EQ(asked("{k: 'hot'}"), 3u);
  EXPECT_EQ(asked("{k: 'hot', _id: 30}"), 1u);
  EXPECT_EQ(asked("{k: 'hot', _id: {$lt: 25}}"), 1u);
  EXPECT_EQ(asked("{k: 'hot', _id: {$gte: 25}}"), 2u);
  EXPECT_EQ(asked("{k: 'hot', n: 7}"), 3u);
  EXPECT_EQ(asked("{k: 'a'}"), 1u);
  EXPECT_EQ(asked("{k: {$in: ['a', 'z']}}"), 2u);
  const auto reads = [&](std::size_t place) { return now()->partitions[place].partition->activity().operations().reads; };
  const auto before = std::vector{reads(1), reads(2), reads(3)};
  for (int i = 0; i < 10; ++i) EXPECT_THAT(run("{find: 'c', filter: {k: 'hot', _id: 30}}"), HasSubstr("firstBatch: [{_id: 30, k: \"hot\", n: 30}]"));
  EXPECT_EQ(std::vector({reads(1), reads(2), reads(3)}), std::vector({before[0], before[1] + 10, before[2]}));
  // The records are in order of the key and the _id, whoever holds them.
  EXPECT_THAT(run("{find: 'c', filter: {k: 'hot', _id: {$gte: 24, $lt: 27}}, sort: {_id: -1}, projection: {_id: 1}}"),
              HasSubstr("[{_id: 26}, {_id: 25}, {_id: 24}]"));
}

TEST_F(DividedKeys, SingleDocumentWritesTouchOne) {
  for (const char* key : {"{k: 1}", "{k: 'hashed'}"}) {
    SCOPED_TRACE(key);
    run("{drop: 'c'}");
    shard(key);
    insert(0, 80);
    for (int i = 0; i < 3; ++i) split("{k: 'hot'}");
    EXPECT_EQ(asked("{k: 'hot'}"), 4u);
    EXPECT_EQ(run("{update: 'c', updates: [{q: {k: 'hot'}, u: {$set: {one: 1}}}]}"), "{n: 1, nModified: 1, ok: 1.0}");
    EXPECT_EQ(count("{one: 1}"), 1);
    EXPECT_EQ(run("{update: 'c', updates: [{q: {k: 'hot', n: {$gte: 40}}, u: {$set: {two: 1}}}]}"), "{n: 1, nModified: 1, ok: 1.0}");
    EXPECT_EQ(count("{two: 1}"), 1);
    EXPECT_EQ(run("{update: 'c', updates: [{q: {k: 'hot', n: {$gte: 40}}, u: {$set: {all: 1}}, multi: true}]}"), "{n: 40, nModified: 40, ok: 1.0}");
    EXPECT_EQ(run("{delete: 'c', deletes: [{q: {k: 'hot'}, limit: 1}]}"), "{n: 1, ok: 1.0}");
    EXPECT_EQ(run("{delete: 'c', deletes: [{q: {k: 'hot', n: 79}, limit: 1}]}"), "{n: 1, ok: 1.0}");
    EXPECT_EQ(count("{}"), 78);
    EXPECT_THAT(run("{findAndModify: 'c', query: {k: 'hot'}, sort: {n: -1}, remove: true, fields: {n: 1, _id: 0}}"), HasSubstr("value: {n: 78}"));
    // Upserts: by key and _id, by the key alone, and what is there already.
    EXPECT_THAT(run("{update: 'c', updates: [{q: {k: 'hot', _id: 500}, u: {$set: {n: 500}}, upsert: true}]}"), HasSubstr("upserted"));
    EXPECT_THAT(run("{update: 'c', updates: [{q: {k: 'hot', n: 501}, u: {$set: {up: 1}}, upsert: true}]}"), HasSubstr("upserted"));
    EXPECT_THAT(run("{update: 'c', updates: [{q: {k: 'hot', n: 501}, u: {$set: {up: 2}}, upsert: true}]}"), Not(HasSubstr("upserted")));
    EXPECT_EQ(count("{up: 2}"), 1);
    EXPECT_EQ(count("{}"), 79);
    EXPECT_THAT(run("{insert: 'c', documents: [{_id: 30, k: 'hot'}]}"), HasSubstr("code: 11000"));
    // A document leaves the key, and another one comes.
    EXPECT_THAT(run("{update: 'c', updates: [{q: {_id: 30, k: 'hot'}, u: {$set: {k: 'cold'}}}]}"), HasSubstr("nModified: 1"));
    EXPECT_THAT(run("{update: 'c', updates: [{q: {_id: 30, k: 'cold'}, u: {$set: {k: 'hot'}}}]}"), HasSubstr("nModified: 1"));
    EXPECT_EQ(count("{k: 'hot'}"), 79);
    EXPECT_EQ(run("{delete: 'c', deletes: [{q: {k: 'hot'}, limit: 0}]}"), "{n: 79, ok: 1.0}");
    expect_sound();
  }
}

TEST_F(DividedKeys, StatementsSentAgainAreKnown) {
  const std::string retry = ", lsid: {id: UUID(\"00000000-0000-0000-0000-000000000001\")}, txnNumber: NumberLong(";
  int number = 0;
  shard("{k: 1}");
  insert(0, 64);
  for (const char* command : {"{insert: 'c', documents: [{_id: 1000, k: 'hot'}, {k: 'hot', _id: -5}]",
                              "{update: 'c', updates: [{q: {_id: 3, k: 'hot'}, u: {$inc: {n: 1}}}]",
                              "{update: 'c', updates: [{q: {k: 'hot'}, u: {$inc: {n: 1}}}]",
                              "{delete: 'c', deletes: [{q: {k: 'hot'}, limit: 1}]",
                              "{findAndModify: 'c', query: {k: 'hot', n: {$gt: 50}}, update: {$inc: {m: 1}}"}) {
    SCOPED_TRACE(command);
    const std::string statement = command + retry + std::to_string(++number) + ")}";
    EXPECT_THAT(run(statement), HasSubstr("ok: 1.0"));
    const std::string after = run("{find: 'c', sort: {_id: 1}, batchSize: 1000}");
    const auto expect_known = [&] {
      EXPECT_THAT(run(statement), HasSubstr("retriedStmtId"));
      EXPECT_EQ(run("{find: 'c', sort: {_id: 1}, batchSize: 1000}"), after);
    };
    split("{k: 'hot'}");
    expect_known();
    server_.crash();
    expect_known();
    EXPECT_THAT(admin(::partita::detail::join("mergePartitions: 'test.c', partitions: [", id_at(0), ", ", id_at(1), "]")), HasSubstr("ok: 1.0"));
    expect_known();
  }
}

TEST_F(DividedKeys, BoundsSayTheIdAndAreTakenAsTheyAreShown) {
  shard("{k: 1}");
  insert(0, 40);
  const std::string first = ::partita::detail::join("partition: ", id_at(0));
  EXPECT_THAT(admin("splitPartition: 'test.c', " + first + ", dryRun: true"), HasSubstr("cut: {k: \"hot\", _id: 20}"));
  EXPECT_THAT(admin("splitPartition: 'test.c', " + first + ", at: {k: 'hot', _id: 10}"), HasSubstr("cut: {k: \"hot\", _id: 10}"));
  EXPECT_EQ(ranges(), (std::vector<std::pair<std::string, std::string>>{{"{k: {$minKey: 1}}", "{k: \"hot\", _id: 10}"},
                                                                       {"{k: \"hot\", _id: 10}", "{k: {$maxKey: 1}}"}}));
  EXPECT_THAT(run("{find: 'chunks', sort: {min: 1}, projection: {min: 1, _id: 0}, $db: 'config'}"),
              HasSubstr("[{min: {k: {$minKey: 1}}}, {min: {k: \"hot\", _id: 10}}]"));
  EXPECT_THAT(run("{find: 'changelog', filter: {what: 'split'}, projection: {'details.right.min': 1, _id: 0}, $db: 'config'}"),
              HasSubstr("{min: {k: \"hot\", _id: 10}}"));
  EXPECT_EQ(admin("split: 'test.c', bounds: [{k: 'hot', _id: 10}, {k: {$maxKey: 1}}]"), "{ok: 1.0}");
  EXPECT_EQ(admin("split: 'test.c', middle: {k: 'hot', _id: 5}"), "{ok: 1.0}");
  EXPECT_THAT(admin("split: 'test.c', middle: {k: 'hot', _id: 5}"), HasSubstr("is a boundary key of existing chunk [{ k: \\\"hot\\\", _id: 5 }"));
  EXPECT_EQ(admin("split: 'test.c', find: {k: 'hot', _id: 1}"), "{ok: 1.0}");  // The first, not the largest.
  EXPECT_EQ(ranges().front().second, "{k: \"hot\", _id: 2}");
  EXPECT_EQ(admin("mergeChunks: 'test.c', bounds: [{k: 'hot', _id: 2}, {k: 'hot', _id: 25}]"), "{ok: 1.0}");
  EXPECT_EQ(ranges().size(), 3u);
  EXPECT_THAT(admin("mergeChunks: 'test.c', bounds: [{k: 'hot', _id: 3}, {k: {$maxKey: 1}}]"), HasSubstr("could not merge chunks"));
  EXPECT_EQ(count("{k: 'hot'}"), 40);
  expect_sound();
}

TEST_F(DividedKeys, BoundsBehindAHashSayTheValueToo) {
  shard("{k: 'hashed'}", ", numInitialChunks: 1");
  insert(0, 40);
  const bson::Document shown = server_.reply(::partita::detail::join("{splitPartition: 'test.c', partition: ", id_at(0), ", dryRun: true, $db: 'admin'}"));
  const std::string cut = readable(shown["cut"].as_document());
  EXPECT_THAT(cut, HasSubstr(", $value: \"hot\", _id: 20}"));
  EXPECT_THAT(admin(::partita::detail::join("splitPartition: 'test.c', partition: ", id_at(0), ", at: ", cut)), HasSubstr("ok: 1.0"));
  EXPECT_EQ(ranges()[1].first, cut);
  // As documents have it.
  EXPECT_EQ(admin("split: 'test.c', middle: {k: 'hot', _id: 30}"), "{ok: 1.0}");
  EXPECT_EQ(admin("mergeChunks: 'test.c', bounds: [" + cut + ", {k: {$maxKey: 1}}]"), "{ok: 1.0}");
  EXPECT_EQ(ranges().size(), 2u);
  EXPECT_EQ(count("{k: 'hot'}"), 40);
}

TEST_F(DividedKeys, AreDividedOnlyWhereThatIsChosen) {
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {k: 1}"), HasSubstr("ok: 1.0"));
  insert(0, 40);
  EXPECT_THAT(admin("split: 'test.c', middle: {k: 'hot', _id: 20}"), HasSubstr("is not valid for shard key pattern"));
  EXPECT_THAT(admin(::partita::detail::join("splitPartition: 'test.c', partition: ", id_at(0), ", at: {k: 'hot', _id: 20}")),
              HasSubstr("would part the documents of one shard key"));
  EXPECT_THAT(admin("split: 'test.c', find: {k: 'hot'}"), HasSubstr("indivisible"));
  EXPECT_THAT(admin("shardCollection: 'test.c', key: {k: 1}, splitLogicalPartitions: true"), HasSubstr("splitLogicalPartitions: false"));
  EXPECT_THAT(run("{collMod: 'c', splitLogicalPartitions: 'yes'}"), HasSubstr("code: 14"));
  EXPECT_EQ(run("{collMod: 'c', splitLogicalPartitions: false}"), "{ok: 1.0}");
  EXPECT_EQ(run("{collMod: 'c', splitLogicalPartitions: true}"), "{ok: 1.0}");
  EXPECT_EQ(admin("split: 'test.c', find: {k: 'hot'}"), "{ok: 1.0}");
  EXPECT_THAT(run("{collMod: 'c', splitLogicalPartitions: false}"), HasSubstr("cannot be taken back"));
  EXPECT_THAT(run("{create: 'plain'}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{collMod: 'plain', splitLogicalPartitions: true}"), HasSubstr("is not sharded"));
  server_.crash();
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_EQ(count("{k: 'hot'}"), 40);
  expect_sound();
}

// Each partition's tables see their own documents only, so that two of one key could take one place in two of them.
TEST_F(DividedKeys, RefuseUniqueIndexesWithoutTheId) {
  shard("{k: 1}");
  EXPECT_THAT(run("{createIndexes: 'c', indexes: [{key: {k: 1, n: 1}, name: 'kn', unique: true}]}"),
              AllOf(HasSubstr("code: 67"), HasSubstr("splitLogicalPartitions")));
  EXPECT_THAT(run("{createIndexes: 'c', indexes: [{key: {k: 1, _id: 1}, name: 'ki', unique: true}]}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(admin("shardCollection: 'test.u', key: {k: 1}, unique: true, splitLogicalPartitions: true"),
              AllOf(HasSubstr("code: 72"), HasSubstr("splitLogicalPartitions")));
  EXPECT_THAT(run("{createIndexes: 'u', indexes: [{key: {k: 1, n: 1}, name: 'kn', unique: true}]}"), HasSubstr("ok: 1.0"));
  const std::string refused = admin("shardCollection: 'test.u', key: {k: 1}, splitLogicalPartitions: true");
  EXPECT_THAT(refused, AllOf(HasSubstr("code: 72"), HasSubstr("splitLogicalPartitions cannot be chosen for test.u with unique index on { k: 1, n: 1 }")));
  EXPECT_THAT(run("{insert: 'u', documents: [{_id: 1, k: 1}]}"), HasSubstr("n: 1"));
  EXPECT_EQ(admin("shardCollection: 'test.u', key: {k: 1}, splitLogicalPartitions: true"), refused);
  EXPECT_THAT(admin("shardCollection: 'test.u', key: {k: 1}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{collMod: 'u', splitLogicalPartitions: true}"), HasSubstr("code: 72"));
  EXPECT_THAT(run("{dropIndexes: 'u', index: 'kn'}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(run("{collMod: 'u', splitLogicalPartitions: true}"), "{ok: 1.0}");
  // Where each key is one document there is nothing to divide further.
  EXPECT_THAT(admin("shardCollection: 'test.w', key: {k: 1, _id: 1}, unique: true, splitLogicalPartitions: true"), HasSubstr("ok: 1.0"));
  // An _id that is unique over the whole collection is claimed in one place.
  EXPECT_THAT(admin("shardCollection: 'test.v', key: {k: 1}, uniqueId: true, splitLogicalPartitions: true"), HasSubstr("ok: 1.0"));
  for (int i = 0; i < 20; ++i) run(::partita::detail::join("{insert: 'v', documents: [{_id: ", i, ", k: 1}]}"));
  EXPECT_EQ(admin("split: 'test.v', find: {k: 1}"), "{ok: 1.0}");
  EXPECT_THAT(run("{insert: 'v', documents: [{_id: 3, k: 2}]}"), HasSubstr("code: 11000"));
  EXPECT_THAT(run("{insert: 'v', documents: [{_id: 17, k: 1}]}"), HasSubstr("code: 11000"));
}

TEST_F(DividedKeys, GetAnotherKeyOrNone) {
  shard("{k: 1}");
  insert(0, 60);
  split("{k: 'hot'}");
  split("{k: 'hot'}");
  EXPECT_THAT(admin("refineCollectionShardKey: 'test.c', key: {k: 1, n: 1}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(count("{k: 'hot'}"), 60);
  expect_sound();
  split("{k: 'hot', n: 30}");
  EXPECT_THAT(admin("reshardCollection: 'test.c', key: {k: 'hashed'}, numInitialChunks: 2"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(count("{k: 'hot'}"), 60);
  split("{k: 'hot'}");
  EXPECT_EQ(asked("{k: 'hot'}"), 2u) << "the choice stays";
  expect_sound();
  server_.crash();
  EXPECT_THAT(admin("unshardCollection: 'test.c'"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(count("{k: 'hot'}"), 60);
  expect_sound();
}

}  // namespace
}  // namespace partita::test
