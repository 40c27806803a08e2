// SPDX-License-Identifier: GPL-3.0-or-later
//
// Every command that writes keeps its answer back until the journal is on disk, when it is asked to.
#include <gtest/gtest.h>

#include <set>

#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

/// One that succeeds, for each command that changes data, in an order in which all can.
struct Example {
  const char* name;
  const char* fields;
};
const std::vector<Example> kExamples{
    {"create", "create: 'c'"},
    {"insert", "insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]"},
    {"update", "update: 'c', updates: [{q: {_id: 1}, u: {$set: {a: 3}}}]"},
    {"findAndModify", "findAndModify: 'c', query: {_id: 1}, update: {$set: {a: 4}}"},
    {"delete", "delete: 'c', deletes: [{q: {_id: 2}, limit: 1}]"},
    {"bulkWrite", "bulkWrite: 1, ops: [{insert: 0, document: {_id: 3}}], nsInfo: [{ns: 'test.c'}], $db: 'admin'"},
    {"createIndexes", "createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]"},
    {"collMod", "collMod: 'c', maxDegreeOfParallelism: 2"},
    {"dropIndexes", "dropIndexes: 'c', index: 'a_1'"},
    {"cloneCollectionAsCapped", "cloneCollectionAsCapped: 'c', toCollection: 'k', size: 1000"},
    {"convertToCapped", "convertToCapped: 'k', size: 1000"},
    {"validate", "validate: 'c'"},
    {"profile", "profile: -1"},
    {"renameCollection", "renameCollection: 'test.c', to: 'test.d', $db: 'admin'"},
    {"drop", "drop: 'd'"},
    {"shardCollection", "shardCollection: 'test.sharded', key: {a: 'hashed'}, $db: 'admin'"},
    {"refineCollectionShardKey", "refineCollectionShardKey: 'test.sharded', key: {a: 'hashed'}, $db: 'admin'"},
    {"reshardCollection", "reshardCollection: 'test.sharded', key: {b: 'hashed'}, $db: 'admin'"},
    {"cleanupReshardCollection", "cleanupReshardCollection: 'test.sharded', $db: 'admin'"},
    {"setAllowMigrations", "setAllowMigrations: 'test.sharded', allowMigrations: false, $db: 'admin'"},
    {"unshardCollection", "unshardCollection: 'test.sharded', $db: 'admin'"},
    {"dropDatabase", "dropDatabase: 1"},
};

/// Some that administer a database take no write concern: they refuse it, so that nobody believes to have waited.
bool may_wait(const Example& example) { return find_command(example.name)->takes_write_concern; }

class Durability : public testing::Test {
 protected:
  int held_by(const Example& example, const std::string& concern) {
    const int before = server_.client().held();
    const std::string answer = server_.run("{" + std::string(example.fields) + ", writeConcern: " + concern + "}");
    EXPECT_EQ(answer.find("ok: 1.0") != std::string::npos, may_wait(example)) << answer;
    return server_.client().held() - before;
  }
  test::InProcess server_;
};

TEST_F(Durability, JournaledAndMajorityWait) {
  for (const char* concern : {"{j: true}", "{w: 'majority'}"}) {
    for (const Example& example : kExamples) EXPECT_EQ(held_by(example, concern), may_wait(example)) << example.name << ' ' << concern;
  }
}

TEST_F(Durability, OthersDoNot) {
  for (const Example& example : kExamples) EXPECT_EQ(held_by(example, "{w: 1, j: false}"), 0) << example.name;
}

TEST_F(Durability, NoCommandThatWritesIsLeftOut) {
  // There is nothing here that these two could end.
  std::set<std::string_view> shown{"abortReshardCollection", "commitReshardCollection"};
  for (const Example& example : kExamples) shown.insert(example.name);
  for (const Command* command : all_commands()) {
    EXPECT_TRUE(!changes_data(command->rights) || shown.contains(command->name)) << command->name;
  }
}

// Which of the documents stands in the way is not looked for: none does.
TEST(FullDisk, RefusesABatchAtOnce) {
  test::InProcess server;
  server.reply("{create: 'c', $db: 'test'}");
  shards::FailPoint& full = *shards::FailPoint::find("logBeforeWrite");
  for (const bool ordered : {true, false}) {
    const std::int64_t before = full.fired();
    full.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::parse_json("{errorCode: 14031}").value()});
    std::string documents;
    for (int i = 0; i < 50; ++i) documents += "{_id: " + std::to_string(i) + "},";
    documents.pop_back();
    const bson::Document reply = server.reply("{insert: 'c', documents: [" + documents + "], ordered: " + (ordered ? "true" : "false") + ", $db: 'test'}");
    full.set({});
    EXPECT_EQ(reply["n"].as_int32(), 0);
    int errors = 0;
    for (const auto& [name, error] : reply["writeErrors"].as_document()) {
      EXPECT_EQ(error.as_document()["code"].as_int32(), 14031);
      EXPECT_EQ(error.as_document()["index"].as_int32(), errors++);
    }
    EXPECT_EQ(errors, ordered ? 1 : 50);
    EXPECT_EQ(full.fired() - before, 1);
  }
  EXPECT_EQ(server.reply("{count: 'c', $db: 'test'}")["n"].as_int32(), 0);
}

}  // namespace
}  // namespace partita::commands
