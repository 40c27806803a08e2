// SPDX-License-Identifier: GPL-3.0-or-later
// Databases and collections from outside: which there are, how large, whether sound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

#include "commands/config_views.h"
#include "shards/storage/fail_point.h"
#include "shards/storage/session.h"
#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;

class StorageCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(run("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 'x'}]}"), "{n: 2, ok: 1.0}");
    EXPECT_EQ(reply("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}")["numIndexesAfter"].as_int32(), 2);
  }
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }
  std::optional<std::int64_t> code(std::string_view command) { return reply(command)["code"].exact_int64(); }

  /// Damages the store: a row disappears from one table and stays in all others.
  void lose_first_row(const std::function<shards::TableId(const shards::PartitionSlot&)>& table_of) {
    shards::Store& store = server_.server().store;
    const auto collection = store.catalog().share()->share("test.c");
    auto session = shards::SessionLease::take(store.engine());
    ASSERT_TRUE(session.ok());
    auto transaction = shards::Transaction::begin(**session);
    ASSERT_TRUE(transaction.ok());
    {
      auto rows = (**session).cursor(table_of(collection->partitions[0]));
      ASSERT_TRUE(rows.ok() && rows->next().ok());
      ASSERT_TRUE(rows->remove_here().ok());
    }
    ASSERT_TRUE(transaction->commit(store.clock().tick()).ok());
  }

  test::InProcess server_;
};

TEST_F(StorageCommands, ListDatabases) {
  EXPECT_EQ(run("{listDatabases: 1, nameOnly: true}"), R"({databases: [{name: "config"}, {name: "test"}], ok: 1.0})");
  EXPECT_EQ(run("{listDatabases: 1, nameOnly: true, filter: {name: 'test'}}"),
            R"({databases: [{name: "test"}], ok: 1.0})");
  const bson::Document all = reply("{listDatabases: 1, filter: {sizeOnDisk: {$gt: 0}}}");
  const bson::View row = all["databases"].as_document()["0"].as_document();
  EXPECT_EQ(row["name"].as_string(), "test");
  EXPECT_EQ(row["empty"].as_bool(), false);
  EXPECT_EQ(row["sizeOnDisk"].as_int64(), all["totalSize"].as_int64());
  EXPECT_EQ(code("{listDatabases: 1, filter: {a: {$noSuchOperator: 1}}}"), 2);
}

TEST_F(StorageCommands, DbStats) {
  const bson::Document stats = reply("{dbStats: 1}");
  EXPECT_EQ(stats["collections"].as_int32(), 1);
  EXPECT_EQ(stats["views"].as_int32(), 0);
  EXPECT_EQ(stats["objects"].as_int32(), 2);
  EXPECT_EQ(stats["indexes"].as_int32(), 2);
  EXPECT_EQ(stats["dataSize"].as_double(), 21 + 23);
  EXPECT_EQ(stats["avgObjSize"].as_double(), 22);
  EXPECT_TRUE(stats["freeStorageSize"].missing());
  const bson::Document scaled = reply("{dbStats: 1, scale: 4, freeStorage: 1}");
  EXPECT_EQ(scaled["dataSize"].as_double(), 11);
  EXPECT_TRUE(scaled["freeStorageSize"].is_number());
  const bson::Document nothing = reply("{dbStats: 1, $db: 'nope'}");
  EXPECT_EQ(nothing["collections"].as_int32(), 0);
  EXPECT_EQ(nothing["dataSize"].as_int32(), 0);
  EXPECT_EQ(code("{dbStats: 1, scale: 0}"), 51024);
  reply("{create: 'v', viewOn: 'c', pipeline: []}");
  EXPECT_EQ(reply("{dbStats: 1}")["views"].as_int32(), 1);
}

TEST_F(StorageCommands, CollStats) {
  const bson::Document stats = reply("{collStats: 'c'}");
  EXPECT_EQ(stats["ns"].as_string(), "test.c");
  EXPECT_EQ(stats["count"].as_int32(), 2);
  EXPECT_EQ(stats["size"].as_int32(), 44);
  EXPECT_EQ(stats["avgObjSize"].as_int32(), 22);
  EXPECT_EQ(stats["nindexes"].as_int32(), 2);
  EXPECT_TRUE(stats["indexSizes"].as_document()["a_1"].is_number());
  EXPECT_EQ(reply("{collStats: 'c', scale: 11}")["size"].as_int32(), 4);
  EXPECT_EQ(reply("{collStats: 'nope'}")["count"].as_int32(), 0);
  EXPECT_EQ(code("{collStats: 'c', scale: 0}"), 51024);
  EXPECT_EQ(code("{collStats: 1}"), 73);
}

TEST_F(StorageCommands, DataSize) {
  EXPECT_EQ(run("{dataSize: 'test.c'}"), "{estimate: false, size: 44, numObjects: 2, millis: 0, ok: 1.0}");
  EXPECT_EQ(run("{dataSize: 'test.nope'}"), "{estimate: false, size: 0, numObjects: 0, millis: 0, ok: 1.0}");
  EXPECT_EQ(code("{dataSize: 'c'}"), 73);
  EXPECT_EQ(code("{dataSize: 'test.c', keyPattern: {_id: 1}}"), 115);
}

TEST_F(StorageCommands, ValidateASoundCollection) {
  const bson::Document found = reply("{validate: 'c'}");
  EXPECT_TRUE(found["valid"].as_bool());
  EXPECT_EQ(found["nrecords"].exact_int64(), 2);
  EXPECT_EQ(test::readable(found["keysPerIndex"].as_document()), "{_id_: 2, a_1: 2}");
  EXPECT_EQ(code("{validate: 'nope'}"), 26);
  EXPECT_EQ(code("{validate: 'c', repair: true}"), 115);
}

TEST_F(StorageCommands, ValidateFindsALostIndexEntry) {
  lose_first_row([](const shards::PartitionSlot& slot) { return slot.indexes[0]->table; });
  const bson::Document found = reply("{validate: 'c'}");
  EXPECT_FALSE(found["valid"].as_bool());
  EXPECT_THAT(test::readable(found["errors"].as_document()), HasSubstr("index a_1 lacks 1 entries"));
  EXPECT_EQ(test::readable(found["indexDetails"].as_document()), "{_id_: {valid: true}, a_1: {valid: false}}");
}

TEST_F(StorageCommands, ValidateFindsALostDocument) {
  lose_first_row([](const shards::PartitionSlot& slot) { return slot.partition->records(); });
  const bson::Document found = reply("{validate: 'c'}");
  EXPECT_FALSE(found["valid"].as_bool());
  EXPECT_THAT(test::readable(found["errors"].as_document()), HasSubstr("index a_1 has 1 entries of no document"));
  EXPECT_THAT(test::readable(found["errors"].as_document()), HasSubstr("the counters say 2 documents"));
}

TEST_F(StorageCommands, ValidateWaitsForWhatIsNotCountedYet) {
  shards::FailPoint& held = *shards::FailPoint::find("storageBeforeCount");
  const std::int64_t before = held.fired();
  const bson::Document wait = bson::Document::build([](bson::Writer& data) { data.add("blockTimeMS", 50); });
  held.set({.mode = shards::FailPoint::Mode::kTimes, .count = 1, .data = wait.copy()});
  auto removal = std::async(std::launch::async, [&] {
    test::Client client(server_.server());
    return client.run("{delete: 'c', deletes: [{q: {_id: 1}, limit: 1}]}");
  });
  while (held.fired() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bson::Document found = reply("{validate: 'c'}");
  EXPECT_TRUE(found["valid"].as_bool()) << test::readable(found.view());
  EXPECT_EQ(found["nrecords"].exact_int64(), 1);
  EXPECT_EQ(removal.get(), "{n: 1, ok: 1.0}");
  held.set({});
}

TEST_F(StorageCommands, FsyncTakesACheckpoint) {
  EXPECT_EQ(run("{fsync: 1}"), "{numFiles: 1, ok: 1.0}");
  EXPECT_EQ(code("{fsync: 1, lock: true}"), 115);
}

TEST_F(StorageCommands, ConfigSaysThatTheClusterIsOne) {
  const auto rows = [&](std::string_view name) { return config_view(server_.server(), {"config", name}); };
  ASSERT_EQ(rows("version")->size(), 1u);
  EXPECT_TRUE((*rows("version"))[0]["clusterId"].is(bson::Type::kObjectId));
  EXPECT_EQ(rows("shards")->size(), 1u);
  EXPECT_EQ(rows("mongos")->size(), 1u);
  EXPECT_EQ((*rows("databases"))[0]["_id"].as_string(), "test");
  EXPECT_TRUE(rows("chunks")->empty());
  EXPECT_EQ(rows("noSuchView"), std::nullopt);
  EXPECT_EQ(config_view(server_.server(), {"test", "version"}), std::nullopt);
  const std::string listed = server_.run("{listCollections: 1, nameOnly: true, $db: 'config'}");
  for (const std::string_view name : config_view_names()) {
    EXPECT_NE(rows(name), std::nullopt) << name;
    EXPECT_NE(listed.find("{name: \"" + std::string(name) + "\", type: \"collection\"}"), std::string::npos) << listed;
  }
  EXPECT_NE(server_.run("{listIndexes: 'chunks', $db: 'config'}").find("_id_"), std::string::npos);
}

}  // namespace
}  // namespace partita::commands
