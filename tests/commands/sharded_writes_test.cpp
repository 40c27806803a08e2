// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writes to collections in partitions: what the shard key adds to their rules, and that one document is one document
// wherever it lies. What holds for all collections is asked by the text cases, which run over partitions too.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "shards/store.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class ShardedWrites : public testing::Test {
 protected:
  void shard(std::string_view key, std::string_view more = {}) {
    const std::string reply = server_.run("{shardCollection: 'test.c', key: " + std::string(key) + std::string(more) + "}");
    ASSERT_NE(reply.find("ok: 1.0"), std::string::npos) << reply;
  }
  std::string run(std::string_view command) { return server_.run(command); }
  std::string documents() { return server_.run("{find: 'c', sort: {_id: 1, region: 1}}"); }
  std::int64_t count(const std::string& filter) {
    const bson::Document reply = server_.reply("{count: 'c', query: " + filter + "}");
    return reply["n"].exact_int64().value_or(-1);
  }
  std::shared_ptr<const shards::Collection> collection() { return server_.server().store.catalog().share()->share("test.c"); }
  bool valid() { return server_.reply("{validate: 'c'}")["valid"].truthy(); }

  InProcess server_;
};

TEST_F(ShardedWrites, KeepOneIdApartUnderSeveralKeys) {
  shard("{region: 'hashed'}");
  EXPECT_EQ(run("{insert: 'c', documents: [{_id: 1, region: 'a'}, {_id: 1, region: 'b'}]}"), "{n: 2, ok: 1.0}");
  const std::string twice = run("{insert: 'c', documents: [{_id: 1, region: 'a'}]}");
  EXPECT_NE(twice.find("code: 11000"), std::string::npos) << twice;
  EXPECT_EQ(count("{_id: 1}"), 2);
  EXPECT_EQ(count("{_id: 1, region: 'b'}"), 1);
  EXPECT_EQ(run("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(count("{_id: 1}"), 1);
}

TEST_F(ShardedWrites, TakeMissingAndNullForOneKey) {
  shard("{'address.zip': 1}");
  EXPECT_EQ(run("{insert: 'c', documents: [{_id: 1}, {_id: 2, address: {zip: null}}, {_id: 3, address: 5}, {_id: 4, address: {zip: 7}}]}"),
            "{n: 4, ok: 1.0}");
  EXPECT_EQ(count("{'address.zip': null}"), 3);
  EXPECT_EQ(count("{'address.zip': 7}"), 1);
  EXPECT_EQ(count("{'address.zip': {$in: [null, 7]}}"), 4);
}

TEST_F(ShardedWrites, RefuseArraysInTheKeyAndChangeNothing) {
  shard("{'a.b': 1}");
  run("{insert: 'c', documents: [{_id: 1, a: {b: 1}}]}");
  for (const char* command : {"{insert: 'c', documents: [{_id: 2, a: [{b: 1}]}]}", "{insert: 'c', documents: [{_id: 2, a: {b: []}}]}",
                              "{update: 'c', updates: [{q: {_id: 1}, u: {$set: {'a.b': [1]}}}]}",
                              "{update: 'c', updates: [{q: {_id: 3}, u: {_id: 3, a: [1]}, upsert: true}]}"}) {
    const std::string reply = run(command);
    EXPECT_NE(reply.find("code: 61"), std::string::npos) << command << " " << reply;
  }
  EXPECT_EQ(documents(), "{cursor: {firstBatch: [{_id: 1, a: {b: 1}}], id: 0, ns: \"test.c\"}, ok: 1.0}");
}

TEST_F(ShardedWrites, MoveADocumentWhoseKeyChanges) {
  shard("{region: 'hashed'}", ", numInitialChunks: 16");
  run("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n_1'}]}");
  for (int i = 0; i < 64; ++i) {
    const std::string id = std::to_string(i);
    run("{insert: 'c', documents: [{_id: " + id + ", region: 'from', n: " + id + "}]}");
    EXPECT_EQ(run("{update: 'c', updates: [{q: {_id: " + id + "}, u: {$set: {region: 'to" + id + "'}}}]}"),
              "{n: 1, nModified: 1, ok: 1.0}");
  }
  EXPECT_EQ(count("{}"), 64);
  EXPECT_EQ(count("{region: 'from'}"), 0);
  EXPECT_EQ(count("{n: {$gte: 0}}"), 64);
  EXPECT_EQ(count("{_id: 5, region: 'to5'}"), 1);
  EXPECT_TRUE(valid());
  EXPECT_NE(run("{findAndModify: 'c', query: {_id: 5}, update: {_id: 5, region: 'replaced'}, new: true}").find("region: \"replaced\""),
            std::string::npos);
  server_.crash();
  EXPECT_EQ(count("{region: 'replaced'}"), 1);
  EXPECT_EQ(count("{}"), 64);
  EXPECT_TRUE(valid());
}

TEST_F(ShardedWrites, DoNotMoveOntoADocumentThatIsThere) {
  shard("{region: 1}");
  run("{insert: 'c', documents: [{_id: 1, region: 'a'}, {_id: 1, region: 'b'}]}");
  const std::string reply = run("{update: 'c', updates: [{q: {region: 'a'}, u: {$set: {region: 'b'}}}]}");
  EXPECT_NE(reply.find("code: 11000"), std::string::npos) << reply;
  EXPECT_EQ(count("{region: 'a'}"), 1);
}

TEST_F(ShardedWrites, DoNotMoveManyAtOnce) {
  shard("{region: 1}");
  run("{insert: 'c', documents: [{_id: 1, region: 'a'}, {_id: 2, region: 'a'}]}");
  const std::string reply = run("{update: 'c', updates: [{q: {}, u: {$set: {region: 'b'}}, multi: true}]}");
  EXPECT_NE(reply.find("code: 72"), std::string::npos) << reply;
  EXPECT_EQ(run("{update: 'c', updates: [{q: {}, u: {$set: {region: 'a', n: 1}}, multi: true}]}"), "{n: 2, nModified: 2, ok: 1.0}");
}

TEST_F(ShardedWrites, TouchOneOfManyCandidates) {
  shard("{region: 'hashed'}", ", numInitialChunks: 8");
  std::string all;
  for (int i = 0; i < 40; ++i) all += "{_id: " + std::to_string(i) + ", region: " + std::to_string(i) + ", open: true}, ";
  run("{insert: 'c', documents: [" + all + "]}");
  for (int i = 1; i <= 40; ++i) {
    const char* command = i % 2 == 0 ? "{update: 'c', updates: [{q: {open: true}, u: {$set: {open: false}}}]}"
                                     : "{findAndModify: 'c', query: {open: true}, sort: {region: -1}, update: {$set: {open: false}}}";
    run(command);
    ASSERT_EQ(count("{open: false}"), i);
  }
  EXPECT_EQ(run("{delete: 'c', deletes: [{q: {open: false}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(run("{delete: 'c', deletes: [{q: {open: false}, limit: 0}]}"), "{n: 39, ok: 1.0}");
}

TEST_F(ShardedWrites, UpsertWithAndWithoutTheKey) {
  shard("{region: 'hashed'}");
  EXPECT_EQ(run("{update: 'c', updates: [{q: {_id: 1, region: 'a'}, u: {$set: {n: 1}}, upsert: true}]}"),
            "{n: 1, upserted: [{index: 0, _id: 1}], nModified: 0, ok: 1.0}");
  EXPECT_EQ(run("{update: 'c', updates: [{q: {_id: 2}, u: {$set: {region: 'b'}}, upsert: true}]}"),
            "{n: 1, upserted: [{index: 0, _id: 2}], nModified: 0, ok: 1.0}");
  EXPECT_EQ(run("{update: 'c', updates: [{q: {_id: 2}, u: {$set: {n: 5}}, upsert: true}]}"), "{n: 1, nModified: 1, ok: 1.0}");
  EXPECT_EQ(documents(),
            "{cursor: {firstBatch: [{_id: 1, region: \"a\", n: 1}, {_id: 2, region: \"b\", n: 5}], id: 0, ns: \"test.c\"}, ok: 1.0}");
}

// Documents wander from key to key while others count them by a field that never changes: each change of place is one
// moment, so nobody finds a document twice or not at all within one partition's answer by _id and key.
TEST_F(ShardedWrites, LoseNobodyWhileDocumentsWander) {
  shard("{region: 'hashed'}", ", numInitialChunks: 8");
  for (int i = 0; i < 16; ++i) run("{insert: 'c', documents: [{_id: " + std::to_string(i) + ", region: 0, n: 0}]}");
  std::atomic<int> applied{0};
  std::vector<std::jthread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      Client client(server_.server());
      for (int i = 0; i < 150; ++i) {
        const std::string id = std::to_string((i * 7 + w) % 16);
        const std::string update = i % 3 == 0 ? "{$inc: {n: 1}}" : "{$set: {region: " + std::to_string((i * 31 + w) % 50) + "}, $inc: {n: 1}}";
        const std::string reply = client.run("{update: 'c', updates: [{q: {_id: " + id + "}, u: " + update + "}]}");
        if (reply == "{n: 1, nModified: 1, ok: 1.0}") ++applied;
        else ADD_FAILURE() << reply;
      }
    });
  }
  writers.clear();
  const bson::Document sum = server_.reply("{aggregate: 'c', pipeline: [{$group: {_id: null, n: {$sum: '$n'}, c: {$sum: 1}}}], cursor: {}}");
  const bson::View row = sum["cursor"].as_document()["firstBatch"].as_document()["0"].as_document();
  EXPECT_EQ(row["n"].exact_int64(), applied.load());
  EXPECT_EQ(row["c"].exact_int64(), 16);
  EXPECT_TRUE(valid());
}

}  // namespace
}  // namespace partita::test
