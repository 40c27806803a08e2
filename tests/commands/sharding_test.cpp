// SPDX-License-Identifier: GPL-3.0-or-later
// Administration of sharded collections, and the views in `config` that tell of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/settings/server_parameters.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"
#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"

namespace partita::commands {
namespace {

using test::at;
using ::testing::HasSubstr;

class ShardingCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 'hashed'}, numInitialChunks: 4}"), HasSubstr("collectionsharded: \"test.s\""));
    EXPECT_THAT(run("{shardCollection: 'test.r', key: {a: 1, 'b.c': 1}}"), HasSubstr("ok: 1.0"));
  }
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }
  std::optional<std::int64_t> code(std::string_view command) { return reply(command)["code"].exact_int64(); }
  std::string rows(std::string_view collection, std::string_view filter, std::string_view projection) {
    const bson::Document answer = reply("{find: '" + std::string(collection) + "', filter: " + std::string(filter) +
                                        ", projection: " + std::string(projection) + ", $db: 'config'}");
    return test::readable(answer.view().at_path("cursor.firstBatch").as_document());
  }

  test::InProcess server_;
};

TEST_F(ShardingCommands, CollectionsAreShownAsARouterShowsThem) {
  EXPECT_EQ(rows("collections", "{_id: 'test.s'}", "{key: 1, unique: 1, noBalance: 1, allowMigrations: 1}"),
            "{\"0\": {_id: \"test.s\", key: {a: \"hashed\"}, unique: false, noBalance: false, allowMigrations: true}}");
  const bson::Document answer = reply("{find: 'collections', filter: {_id: 'test.s'}, $db: 'config'}");
  const bson::View row = at(answer, "cursor.firstBatch.0").as_document();
  EXPECT_TRUE(row["lastmodEpoch"].is(bson::Type::kObjectId));
  EXPECT_TRUE(row["timestamp"].is(bson::Type::kTimestamp));
  EXPECT_TRUE(row["uuid"].is(bson::Type::kBinary));
}

TEST_F(ShardingCommands, ChunksTileTheKeySpace) {
  EXPECT_EQ(rows("chunks", "{min: {a: {$minKey: 1}}}", "{_id: 0, shard: 1}"), "{\"0\": {shard: \"node0\"}}");
  EXPECT_EQ(rows("chunks", "{max: {a: {$maxKey: 1}, 'b.c': {$maxKey: 1}}}", "{_id: 0, min: 1}"),
            "{\"0\": {min: {a: {$minKey: 1}, \"b.c\": {$minKey: 1}}}}");
  const bson::Document count = reply("{count: 'chunks', query: {}, $db: 'config'}");
  EXPECT_EQ(count["n"].exact_int64(), 5);
}

TEST_F(ShardingCommands, ChangelogOutlivesTheServer) {
  EXPECT_EQ(rows("changelog", "{ns: 'test.s'}", "{_id: 0, what: 1, details: 1}"),
            "{\"0\": {what: \"shardCollection.end\", details: {shardKey: {a: \"hashed\"}, unique: false, numChunks: 4}}}");
  server_.crash();
  EXPECT_EQ(rows("changelog", "{ns: 'test.s'}", "{_id: 0, what: 1}"), "{\"0\": {what: \"shardCollection.end\"}}");
}

TEST_F(ShardingCommands, ViewsAreChangedThroughWhatTheyShow) {
  EXPECT_EQ(run("{update: 'collections', updates: [{q: {_id: 'test.s'}, u: {$set: {noBalance: true}}}], $db: 'config'}"),
            "{n: 1, nModified: 1, ok: 1.0}");
  server_.crash();
  EXPECT_EQ(rows("collections", "{_id: 'test.s'}", "{noBalance: 1}"), "{\"0\": {_id: \"test.s\", noBalance: true}}");
  EXPECT_THAT(run("{update: 'collections', updates: [{q: {_id: 'test.s'}, u: {$set: {unique: true}}}], $db: 'config'}"),
              HasSubstr("cannot be changed"));
  EXPECT_THAT(run("{insert: 'chunks', documents: [{_id: 1}], $db: 'config'}"), HasSubstr("is a view of the server"));
  EXPECT_EQ(code("{delete: 'chunks', deletes: [{q: {}, limit: 0}], $db: 'config'}").value_or(0), 0);  // A write error.
  EXPECT_EQ(code("{findAndModify: 'tags', query: {}, remove: true, $db: 'config'}"), 20);
}

// It would be asked of the partition that a duplicate happens to meet.
TEST_F(ShardingCommands, AnIndexThatCannotBeUniqueIsNotPreparedForIt) {
  EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {z: 1}, name: 'z'}, {key: {a: 1, z: 1}, name: 'az'}]}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(code("{collMod: 's', index: {name: 'z', prepareUnique: true}}"), 67);
  EXPECT_EQ(code("{createIndexes: 's', indexes: [{key: {y: 1}, name: 'y', prepareUnique: true}]}"), 67);
  EXPECT_THAT(run("{collMod: 's', index: {name: 'az', prepareUnique: true}}"), HasSubstr("ok: 1.0"));
}

TEST_F(ShardingCommands, SettingsAreKept) {
  const auto set = [&](std::string_view id, std::string_view fields) {
    return run("{update: 'settings', updates: [{q: {_id: '" + std::string(id) + "'}, u: {$set: {" + std::string(fields) +
               "}}, upsert: true}], $db: 'config'}");
  };
  const std::string changed = "{n: 1, nModified: 1, ok: 1.0}";
  EXPECT_EQ(set("autosplit", "enabled: false"), changed);
  EXPECT_EQ(set("automerge", "enabled: false"), changed);
  EXPECT_EQ(set("balancer", "mode: 'off'"), changed);
  server_.crash();
  EXPECT_EQ(rows("settings", "{_id: {$ne: 'chunksize'}}", "{}"),
            "{\"0\": {_id: \"automerge\", enabled: false}, \"1\": {_id: \"autosplit\", enabled: false}, "
            "\"2\": {_id: \"balancer\", mode: \"off\", stopped: true}}");
  EXPECT_EQ(set("autosplit", "enabled: true"), changed);
  EXPECT_EQ(set("automerge", "enabled: true"), changed);
  EXPECT_EQ(set("balancer", "stopped: false"), changed);
  EXPECT_EQ(rows("settings", "{_id: {$ne: 'chunksize'}}", "{}"),
            "{\"0\": {_id: \"automerge\", enabled: true}, \"1\": {_id: \"autosplit\", enabled: true}, "
            "\"2\": {_id: \"balancer\", mode: \"full\", stopped: false}}");
}

TEST_F(ShardingCommands, SettingsTakeNothingThatWouldBeIgnored) {
  const auto refusal = [&](std::string_view id, std::string_view fields) {
    return run("{update: 'settings', updates: [{q: {_id: '" + std::string(id) + "'}, u: {$set: {" + std::string(fields) +
               "}}, upsert: true}], $db: 'config'}");
  };
  EXPECT_THAT(refusal("balancer", "activeWindow: {start: '23:00', stop: '06:00'}"), HasSubstr("activeWindow cannot be changed"));
  EXPECT_THAT(refusal("balancer", "stopped: 'x'"), HasSubstr("stopped"));
  EXPECT_THAT(refusal("balancer", "mode: 'x'"), HasSubstr("'full' or 'off'"));
  EXPECT_THAT(refusal("autosplit", "slowly: true"), HasSubstr("slowly cannot be changed"));
  EXPECT_THAT(refusal("automerge", "enabled: 'x'"), HasSubstr("enabled"));
  EXPECT_THAT(refusal("other", "a: 1"), HasSubstr("cannot be changed"));
  EXPECT_EQ(code("{drop: 'settings', $db: 'config'}"), 20);
  EXPECT_TRUE(server_.server().store.balancer().active());
}

TEST_F(ShardingCommands, AnIndexOnTheShardKeyIsThereAlready) {
  EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {a: 'hashed'}, name: 'a_hashed'}]}"), HasSubstr("all indexes already exist"));
  EXPECT_THAT(run("{createIndexes: 'r', indexes: [{key: {a: 1, 'b.c': 1}, name: 'a_1_b.c_1'}]}"), HasSubstr("all indexes already exist"));
  EXPECT_EQ(code("{createIndexes: 'r', indexes: [{key: {a: 1, 'b.c': 1}, name: 'other'}]}"), 85);
  EXPECT_EQ(code("{createIndexes: 'r', indexes: [{key: {z: 1}, name: 'a_1_b.c_1'}]}"), 86);
  EXPECT_THAT(run("{find: 's', hint: {a: 'hashed'}}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{find: 's', hint: 'a_hashed'}"), HasSubstr("ok: 1.0"));
}

TEST_F(ShardingCommands, AnIndexOnTheShardKeyStays) {
  EXPECT_EQ(code("{dropIndexes: 's', index: 'a_hashed'}"), 370);
  EXPECT_EQ(code("{dropIndexes: 's', index: {a: 'hashed'}}"), 370);
  EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {z: 1}, name: 'z_1'}]}"), HasSubstr("numIndexesAfter: 3"));
  EXPECT_THAT(run("{dropIndexes: 's', index: '*'}"), HasSubstr("non-shard key indexes dropped"));
  EXPECT_THAT(run("{listIndexes: 's'}"), HasSubstr("a_hashed"));
}

TEST_F(ShardingCommands, UniqueIndexesBeginWithTheShardKey) {
  EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {z: 1}, name: 'z_1', unique: true}]}"),
              HasSubstr("cannot create unique index over"));
  EXPECT_EQ(code("{createIndexes: 's', indexes: [{key: {z: 1}, name: 'z_1', unique: true}]}"), 67);
  EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {a: 1, z: 1}, name: 'a_1_z_1', unique: true}]}"), HasSubstr("numIndexesAfter: 3"));
  EXPECT_THAT(run("{create: 'u'}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{createIndexes: 'u', indexes: [{key: {z: 1}, name: 'z_1', unique: true}]}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(code("{shardCollection: 'test.u', key: {a: 1}}"), 72);
}

TEST_F(ShardingCommands, AUniqueShardKeyIsKeptUnique) {
  EXPECT_THAT(run("{shardCollection: 'test.k', key: {a: 1}, unique: true}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(run("{insert: 'k', documents: [{_id: 1, a: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_THAT(run("{insert: 'k', documents: [{_id: 2, a: 1}]}"), HasSubstr("code: 11000"));
  EXPECT_EQ(code("{dropIndexes: 'k', index: 'a_1'}"), 370);
  EXPECT_THAT(run("{listIndexes: 'k'}"), HasSubstr("unique: true"));
  EXPECT_EQ(code("{shardCollection: 'test.k2', key: {a: 'hashed'}, unique: true}"), 72);
}

TEST_F(ShardingCommands, OneShardAnswersHonestly) {
  EXPECT_THAT(run("{listShards: 1}"), HasSubstr("_id: \"node0\""));
  EXPECT_EQ(run("{enableSharding: 'test'}"), "{ok: 1.0}");
  EXPECT_EQ(code("{enableSharding: 'config'}"), 72);
  EXPECT_EQ(code("{enableSharding: 'x', primaryShard: 'node9'}"), 70);
  EXPECT_EQ(code("{enableSharding: 'x', $db: 'test'}"), 13);
  EXPECT_EQ(run("{flushRouterConfig: 1}"), "{flushed: true, ok: 1.0}");
  EXPECT_EQ(run("{moveChunk: 'test.s', find: {a: 1}, to: 'node0'}"), "{millis: 0, ok: 1.0}");
  EXPECT_EQ(code("{moveChunk: 'test.s', find: {a: 1}, to: 'other'}"), 70);
  EXPECT_EQ(code("{moveChunk: 'test.none', find: {a: 1}, to: 'node0'}"), 118);
  EXPECT_EQ(code("{moveRange: 'test.s', toShard: 'node0', min: {b: 1}}"), 2);
  EXPECT_EQ(run("{movePrimary: 'test', to: 'node0'}"), "{ok: 1.0}");
  EXPECT_EQ(code("{movePrimary: 'test', to: 'x'}"), 70);
  EXPECT_EQ(code("{removeShard: 'node0'}"), 20);
  EXPECT_EQ(code("{removeShard: 'x'}"), 70);
  EXPECT_EQ(code("{addShard: 'x:1'}"), 96);
  EXPECT_EQ(code("{addShardToZone: 'node0', zone: 'z'}"), 20);
  EXPECT_EQ(code("{updateZoneKeyRange: 'test.s', min: {a: 1}, max: {a: 2}, zone: 'z'}"), 20);
  EXPECT_EQ(code("{setAllowMigrations: 'test.none', allowMigrations: true}"), 118);
  EXPECT_EQ(code("{getShardVersion: 'test.none'}"), 118);
  EXPECT_THAT(run("{getShardVersion: 'test.s', fullMetadata: true}"), HasSubstr("chunks: [[{a: {$minKey: 1}}"));
}

TEST_F(ShardingCommands, ConsistencyIsChecked) {
  EXPECT_THAT(run("{checkMetadataConsistency: 1}"), HasSubstr("firstBatch: []"));
  EXPECT_THAT(run("{checkMetadataConsistency: 's'}"), HasSubstr("firstBatch: []"));
  EXPECT_EQ(code("{checkMetadataConsistency: 'none'}"), 26);
}

TEST_F(ShardingCommands, AShardKeyIsAnalyzed) {
  EXPECT_EQ(code("{analyzeShardKey: 'test.s', key: {a: 1}}"), 20);
  EXPECT_EQ(run("{insert: 's', documents: [{_id: 1, a: 1}, {_id: 2, a: 1}, {_id: 3, a: 'x'}]}"), "{n: 3, ok: 1.0}");
  EXPECT_EQ(run("{analyzeShardKey: 'test.s', key: {a: 1}}"),
            "{keyCharacteristics: {numDocsTotal: 3, avgDocSizeBytes: 21, numDocsSampled: 3, isUnique: false, numDistinctValues: 2, "
            "mostCommonValues: [{value: {a: 1}, frequency: 2}, {value: {a: \"x\"}, frequency: 1}], "
            "monotonicity: {type: \"unknown\"}}, ok: 1.0}");
  EXPECT_EQ(code("{analyzeShardKey: 'test.s', key: {a: 1}, readWriteDistribution: true}"), 238);
  EXPECT_EQ(code("{analyzeShardKey: 'test.s', key: {a: 1}, keyCharacteristics: false}"), 72);
  EXPECT_EQ(code("{analyzeShardKey: 'test.s', key: {a: 1}, sampleRate: 0.5, sampleSize: 5}"), 72);
  EXPECT_EQ(code("{analyzeShardKey: 'test.nope', key: {a: 1}}"), 26);
}

TEST_F(ShardingCommands, MonotonicityIsToldByObjectIds) {
  std::string documents;
  for (int i = 0; i < 50; ++i) documents += "{up: " + std::to_string(i) + ", same: 1},";
  documents.pop_back();
  EXPECT_EQ(run("{insert: 'm', documents: [" + documents + "]}"), "{n: 50, ok: 1.0}");
  EXPECT_THAT(run("{analyzeShardKey: 'test.m', key: {up: 1}}"), HasSubstr("type: \"monotonic\""));
  EXPECT_THAT(run("{analyzeShardKey: 'test.m', key: {up: 'hashed'}}"), HasSubstr("type: \"not monotonic\""));
  EXPECT_THAT(run("{analyzeShardKey: 'test.m', key: {same: 1}}"), HasSubstr("type: \"not monotonic\""));
}

TEST_F(ShardingCommands, DataDistributionCountsDocuments) {
  EXPECT_EQ(run("{insert: 's', documents: [{_id: 1, a: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_THAT(run("{aggregate: 1, pipeline: [{$shardedDataDistribution: {}}, {$match: {ns: 'test.s'}}], cursor: {}, $db: 'admin'}"),
              HasSubstr("numOwnedDocuments: 1"));
  EXPECT_EQ(code("{aggregate: 1, pipeline: [{$shardedDataDistribution: {}}], cursor: {}}"), 6789102);
  EXPECT_THAT(run("{aggregate: 1, pipeline: [{$documents: [{a: 1}]}, {$project: {h: {$toHashedIndexKey: '$a'}}}], cursor: {}}"),
              HasSubstr("firstBatch: [{h: "));
}

TEST_F(ShardingCommands, TheClusterCatalogTellsWhereCollectionsLie) {
  run("{insert: 'plain', documents: [{_id: 1}]}");
  const auto catalog = [&](const std::string& options, const std::string& db) {
    return run("{aggregate: 1, pipeline: [{$listClusterCatalog: " + options + "}, {$match: {ns: 'test.plain'}}], cursor: {}, $db: '" + db + "'}");
  };
  EXPECT_THAT(catalog("{}", "test"), HasSubstr("sharded: false}"));
  EXPECT_THAT(catalog("{shards: true}", "admin"), HasSubstr("sharded: false, shards: [\"node0\"]}"));
  EXPECT_THAT(catalog("{}", "other"), HasSubstr("firstBatch: []"));
  EXPECT_THAT(run("{shardCollection: 'test.plain', key: {_id: 1}}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(catalog("{balancingConfiguration: true}", "test"), HasSubstr("sharded: true, shardKey: {_id: 1}, balancingEnabled: true"));
  EXPECT_EQ(code("{aggregate: 1, pipeline: [{$listClusterCatalog: {x: true}}], cursor: {}}"), 40415);
  EXPECT_EQ(code("{aggregate: 1, pipeline: [{$listClusterCatalog: {shards: 1}}], cursor: {}}"), 14);
  EXPECT_EQ(code("{aggregate: 'plain', pipeline: [{$listClusterCatalog: {}}], cursor: {}}"), 73);
}

TEST_F(ShardingCommands, HashesAreTold) {
  EXPECT_EQ(code("{_hashBSONElement: 1}"), 59) << "for tests only";
  ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(true)).ok());
  EXPECT_EQ(run("{_hashBSONElement: 1, seed: 0}"), "{key: 1, seed: 0, out: -5120740074723616601, ok: 1.0}");
  EXPECT_EQ(run("{_hashBSONElement: 1.0}"), "{key: 1.0, seed: 0, out: -5120740074723616601, ok: 1.0}") << "equal numbers";
  EXPECT_EQ(code("{_hashBSONElement: 1, seed: 'x'}"), 2);
  EXPECT_EQ(code("{_hashBSONElement: 1, seed: 3}"), 238);
  ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(false)).ok());
}

TEST_F(ShardingCommands, ACollectionIsMovedToWhereItIs) {
  run("{insert: 'plain', documents: [{_id: 1}]}");
  EXPECT_EQ(run("{moveCollection: 'test.plain', toShard: 'node0'}"), "{ok: 1.0}");
  EXPECT_EQ(code("{moveCollection: 'test.plain', toShard: 'node1'}"), 70);
  EXPECT_EQ(code("{moveCollection: 'test.nothing', toShard: 'node0'}"), 26);
}

TEST_F(ShardingCommands, AnIdCanBeUniqueOverAllPartitions) {
  EXPECT_THAT(run("{shardCollection: 'test.q', key: {a: 'hashed'}, numInitialChunks: 4, uniqueId: true}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(run("{insert: 'q', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}"), "{n: 2, ok: 1.0}");
  const std::string again = run("{insert: 'q', documents: [{_id: 1, a: 7}]}");
  EXPECT_THAT(again, HasSubstr("keyPattern: {_id: 1}, keyValue: {_id: 1}"));
  // A move takes the claim along, a delete frees it.
  EXPECT_THAT(run("{update: 'q', updates: [{q: {_id: 1, a: 1}, u: {$set: {a: 9}}}]}"), HasSubstr("nModified: 1"));
  EXPECT_THAT(run("{insert: 'q', documents: [{_id: 1, a: 1}]}"), HasSubstr("code: 11000"));
  server_.crash();
  EXPECT_THAT(run("{insert: 'q', documents: [{_id: 1, a: 1}]}"), HasSubstr("code: 11000"));
  EXPECT_EQ(run("{delete: 'q', deletes: [{q: {_id: 1}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(run("{insert: 'q', documents: [{_id: 1, a: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(rows("collections", "{_id: 'test.q'}", "{_id: 0, uniqueId: 1}"), "{\"0\": {uniqueId: true}}");
  // By default an _id is unique within its shard key.
  EXPECT_EQ(run("{insert: 's', documents: [{_id: 1, a: 1}, {_id: 1, a: 2}]}"), "{n: 2, ok: 1.0}");
  EXPECT_THAT(run("{insert: 's', documents: [{_id: 1, a: 1}]}"), HasSubstr("code: 11000"));
  EXPECT_EQ(run("{drop: 'q'}"), "{nIndexesWas: 2, ns: \"test.q\", ok: 1.0}");
}

TEST_F(ShardingCommands, SaysOnceWhereTwoDocumentsMeet) {
  EXPECT_THAT(run("{shardCollection: 'test.twice', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(run("{insert: 'twice', documents: [{_id: 1, a: 1}, {_id: 1, a: 2}]}"), "{n: 2, ok: 1.0}");
  EXPECT_THAT(run("{findAndModify: 'twice', query: {_id: 1, a: 1}, update: {$set: {a: 2}}}"),
              HasSubstr("errmsg: \"E11000 duplicate key error collection: test.twice index: _id_ dup key: { _id: 1 }\""));
  EXPECT_THAT(run("{reshardCollection: 'test.twice', key: {z: 1}}"),
              HasSubstr("E11000 duplicate key error collection: test.twice index: z_1 dup key: { _id: 1 }"));
}

TEST_F(ShardingCommands, UniqueIdCanBeChosenForAFilledCollection) {
  EXPECT_EQ(run("{insert: 'full', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}"), "{n: 2, ok: 1.0}");
  EXPECT_THAT(run("{shardCollection: 'test.full', key: {a: 1}, uniqueId: true}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{insert: 'full', documents: [{_id: 1, a: 7}]}"), HasSubstr("keyPattern: {_id: 1}, keyValue: {_id: 1}"));
  EXPECT_THAT(run("{validate: 'full'}"), HasSubstr("valid: true"));
  // What keeps them unique takes room, and is seen.
  const bson::Document stats = server_.reply("{collStats: 'full'}");
  EXPECT_GT(stats.view()["indexSizes"].as_document()["_id_"].to_double().value_or(0), 4096);
}

TEST_F(ShardingCommands, UniqueIdCanBeChosenWhenResharding) {
  EXPECT_THAT(run("{shardCollection: 'test.q', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(code("{shardCollection: 'test.q', key: {a: 1}, uniqueId: true}"), 23) << "it is not as asked";
  EXPECT_EQ(run("{insert: 'q', documents: [{_id: 1, a: 1}, {_id: 1, a: 2}, {_id: 3, a: 1}]}"), "{n: 3, ok: 1.0}");
  for (const char* key : {"{a: 1}", "{b: 1}"}) {
    EXPECT_THAT(run(detail::join("{reshardCollection: 'test.q', key: ", key, ", uniqueId: true}")),
                HasSubstr("E11000 duplicate key error collection: test.q index: _id_ dup key: { _id: 1 }"));
  }
  EXPECT_EQ(run("{delete: 'q', deletes: [{q: {_id: 1, a: 2}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(run("{reshardCollection: 'test.q', key: {a: 1}, uniqueId: true}"), "{ok: 1.0}");
  EXPECT_EQ(rows("collections", "{_id: 'test.q'}", "{_id: 0, uniqueId: 1}"), "{\"0\": {uniqueId: true}}");
  EXPECT_EQ(run("{refineCollectionShardKey: 'test.q', key: {a: 1, b: 1}}"), "{ok: 1.0}");
  EXPECT_THAT(run("{insert: 'q', documents: [{_id: 3, a: 7}]}"), HasSubstr("code: 11000"));
  EXPECT_EQ(run("{reshardCollection: 'test.q', key: {b: 1}, uniqueId: false}"), "{ok: 1.0}");
  EXPECT_EQ(run("{insert: 'q', documents: [{_id: 3, b: 7}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(rows("collections", "{_id: 'test.q'}", "{_id: 0, uniqueId: 1}"), "{\"0\": {}}");
}

}  // namespace
}  // namespace partita::commands
