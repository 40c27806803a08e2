// SPDX-License-Identifier: GPL-3.0-or-later
//
// Documents that expire, as clients see it: of sharded collections too, and counted in serverStatus.
#include <gtest/gtest.h>

#include <thread>

#include "commands/settings/ttl_parameters.h"
#include "shards/expiry/ttl_monitor.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class Ttl : public testing::Test {
 protected:
  Ttl() { commands::parameters::ttl_options()->enabled = false; }
  ~Ttl() override {
    commands::parameters::ttl_options()->enabled = true;
    commands::parameters::ttl_options()->sleep_seconds = 60;
  }
  std::int64_t deleted() { return server_.reply("{serverStatus: 1}").view().at_path("metrics.ttl.deletedDocuments").exact_int64().value_or(-1); }
  std::int64_t count() { return server_.reply("{count: 'c'}")["n"].exact_int64().value_or(-1); }
  /// Every third of them is from 2001.
  void insert(int documents) {
    std::string list;
    for (int i = 0; i < documents; ++i) {
      const char* at = i % 3 == 0 ? "{$date: '2001-02-03T04:05:06Z'}" : i % 3 == 1 ? "{$date: '2901-02-03T04:05:06Z'}" : "'never'";
      list += detail::join(list.empty() ? "" : ", ", "{_id: ", i, ", k: ", i % 17, ", at: ", at, "}");
    }
    server_.run("{insert: 'c', documents: [" + list + "]}");
  }

  InProcess server_;
};

TEST_F(Ttl, OfAShardedCollectionIsThatOfAllItsPartitions) {
  server_.run("{shardCollection: 'test.c', key: {k: 'hashed'}, numInitialChunks: 5}");
  EXPECT_NE(server_.run("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 60}]}").find("numIndexesAfter"), std::string::npos);
  insert(300);
  server_.server().store.ttl().pass();
  EXPECT_EQ(count(), 200);
  EXPECT_EQ(deleted(), 100);
  EXPECT_TRUE(server_.reply("{validate: 'c'}")["valid"].truthy());
  server_.crash();
  EXPECT_EQ(count(), 200);
}

TEST_F(Ttl, RunsAsItsParametersSay) {
  server_.run("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at', expireAfterSeconds: 60}]}");
  insert(30);
  EXPECT_NE(server_.run("{setParameter: 1, ttlMonitorSleepSecs: 0}").find("ttlMonitorSleepSecs"), std::string::npos);
  EXPECT_NE(server_.run("{setParameter: 1, ttlMonitorSleepSecs: 1}").find("was: 60"), std::string::npos);
  EXPECT_NE(server_.run("{setParameter: 1, ttlMonitorEnabled: true}").find("was: false"), std::string::npos);
  for (int tries = 0; tries < 200 && count() > 20; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(count(), 20);
  EXPECT_EQ(deleted(), 10);
}

TEST_F(Ttl, ChangesWithTheIndex) {
  server_.run("{createIndexes: 'c', indexes: [{key: {at: 1}, name: 'at'}]}");
  insert(30);
  server_.server().store.ttl().pass();
  EXPECT_EQ(count(), 30);
  EXPECT_EQ(server_.run("{collMod: 'c', index: {name: 'at', expireAfterSeconds: 0}}"), "{expireAfterSeconds_new: 0, ok: 1.0}");
  server_.server().store.ttl().pass();
  EXPECT_EQ(count(), 20);
}

TEST(IndexLimits, AreSixtyFourInACollection) {
  InProcess server;
  for (int i = 0; i < 63; ++i) {
    const std::string definition = detail::join("{key: {a: 1}, name: 'n", i, "', partialFilterExpression: {b: ", i, "}}");
    EXPECT_NE(server.run("{createIndexes: 'c', indexes: [" + definition + "]}").find("numIndexesAfter"), std::string::npos);
  }
  EXPECT_EQ(server.reply("{createIndexes: 'c', indexes: [{key: {z: 1}, name: 'z'}]}")["code"].exact_int64(), 67);
  EXPECT_EQ(server.reply("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'n5', partialFilterExpression: {b: 5}}]}")["ok"].to_double(), 1);
}

TEST(IndexLimits, AreThirtyTwoFieldsInAnIndex) {
  InProcess server;
  const auto make = [&](int fields) {
    std::string key;
    for (int i = 0; i < fields; ++i) key += detail::join(i == 0 ? "" : ", ", "f", i, ": 1");
    return server.reply("{createIndexes: 'c', indexes: [{key: {" + key + "}, name: 'x'}]}");
  };
  EXPECT_EQ(make(33)["code"].exact_int64(), 13103);
  EXPECT_EQ(make(32)["ok"].to_double(), 1);
}

}  // namespace
}  // namespace partita::test
