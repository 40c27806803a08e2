// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whatever operator changes the shard key of a document, the document goes where its new key belongs.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

struct KeyChange {
  std::string_view name;
  std::string_view document;  ///< With _id 1.
  std::string_view update;    ///< A statement without its filter.
  std::string_view finds;     ///< What it is found by afterwards.
};

constexpr KeyChange kChanges[] = {
    {"Push", "a: [1], k: {x: 1}", "u: {$push: {a: 2}, $set: {'k.x': 7}}", "{'k.x': 7, a: 2}"},
    {"RenameOf", "k: {x: 1}, n: 1", "u: {$rename: {'k.x': 'n'}}", "{'k.x': null, n: 1}"},
    {"RenameInto", "k: {x: 1}, n: 7", "u: {$rename: {n: 'k.x'}}", "{'k.x': 7}"},
    {"RenameOfTheWhole", "k: {x: 1}, n: {x: 7}", "u: {$rename: {n: 'k'}}", "{'k.x': 7}"},
    {"Bit", "k: {x: 1}", "u: {$bit: {'k.x': {or: 6}}}", "{'k.x': 7}"},
    {"Pipeline", "k: {x: 1}, n: 6", "u: [{$set: {'k.x': {$add: ['$k.x', '$n']}}}]", "{'k.x': 7}"},
    {"PipelineThatDrops", "k: {x: 1}", "u: [{$unset: 'k'}]", "{'k.x': null}"},
    {"PipelineThatReplaces", "k: {x: 1}", "u: [{$replaceWith: {k: {x: 7}}}]", "{'k.x': 7}"},
    {"CurrentDate", "k: {x: 1}", "u: {$currentDate: {'k.x': true}}", "{'k.x': {$gt: {$date: '2020-01-01T00:00:00Z'}}}"},
    {"Unset", "k: {x: 1}", "u: {$unset: {k: 1}}", "{'k.x': null}"},
};

class ShardKeyChange : public testing::TestWithParam<KeyChange> {
 protected:
  std::int64_t count(std::string_view filter) {
    return server_.reply("{count: 'c', query: " + std::string(filter) + "}")["n"].exact_int64().value_or(-1);
  }
  InProcess server_;
};

TEST_P(ShardKeyChange, TakesTheDocumentToItsPlace) {
  server_.run("{shardCollection: 'test.c', key: {'k.x': 'hashed'}, numInitialChunks: 8}");
  const KeyChange& change = GetParam();
  server_.run("{insert: 'c', documents: [{_id: 1, " + std::string(change.document) + "}]}");
  EXPECT_EQ(server_.run("{update: 'c', updates: [{q: {_id: 1}, " + std::string(change.update) + "}]}"),
            "{n: 1, nModified: 1, ok: 1.0}");
  EXPECT_EQ(count("{}"), 1);
  EXPECT_EQ(count("{'k.x': 1}"), 0);
  EXPECT_EQ(count(change.finds), 1) << server_.run("{find: 'c'}");
  EXPECT_TRUE(server_.reply("{validate: 'c'}")["valid"].truthy());
}

INSTANTIATE_TEST_SUITE_P(Operators, ShardKeyChange, testing::ValuesIn(kChanges),
                         [](const auto& instance) { return std::string(instance.param.name); });

/// What an update of many documents must not do it does not by any operator.
TEST(ShardKeyChanges, OfManyDocumentsAreRefused) {
  InProcess server;
  server.run("{shardCollection: 'test.c', key: {k: 1}}");
  server.run("{insert: 'c', documents: [{_id: 1, k: 1, n: 5}]}");
  for (const char* update : {"{$rename: {n: 'k'}}", "[{$set: {k: '$n'}}]", "{$bit: {k: {or: 4}}}"}) {
    const std::string reply = server.run("{update: 'c', updates: [{q: {}, u: " + std::string(update) + ", multi: true}]}");
    EXPECT_NE(reply.find("code: 72"), std::string::npos) << update << " " << reply;
  }
  EXPECT_EQ(server.run("{update: 'c', updates: [{q: {}, u: [{$set: {n: {$add: ['$k', 1]}}}], multi: true}]}"),
            "{n: 1, nModified: 1, ok: 1.0}");
}

/// An array can be no key, and changing nothing else is no way around that.
TEST(ShardKeyChanges, IntoArraysAreRefused) {
  InProcess server;
  server.run("{shardCollection: 'test.c', key: {k: 1}}");
  server.run("{insert: 'c', documents: [{_id: 1}]}");
  for (const char* update : {"{$push: {k: 1}}", "{$addToSet: {k: 1}}", "[{$set: {k: [1]}}]"}) {
    const std::string reply = server.run("{update: 'c', updates: [{q: {_id: 1}, u: " + std::string(update) + "}]}");
    EXPECT_NE(reply.find("code: 61"), std::string::npos) << update << " " << reply;
  }
}

}  // namespace
}  // namespace partita::test
