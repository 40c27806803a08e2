// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that are found are not kept back until others, far behind them, are found too.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;

constexpr int kDocuments = 2000;
/// Half a millisecond and more for each document, and nothing in the end.
constexpr const char* kSlow =
    "{$expr: {$gt: [{$size: {$filter: {input: {$range: [0, {$add: [20000, '$_id']}]}, cond: {$lt: ['$$this', {$subtract: ['$_id', 9000]}]}}}}, 0]}}";

class FirstBatch : public testing::Test {
 protected:
  void SetUp() override {
    send("{shardCollection: 'test.parts', key: {_id: 'hashed'}, numInitialChunks: 4}");
    for (const char* name : {"c", "parts"}) {
      const Document insert = Document::build([&](bson::Writer& w) {
        w.add("insert", name);
        bson::ArrayWriter documents = w.array("documents");
        for (int i = 0; i < kDocuments; ++i) documents.document().add("_id", i);
      });
      ASSERT_EQ(server_.client().reply(insert.view(), {})["n"].exact_int64(), kDocuments);
    }
    send("{profile: 2}");
  }

  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << bson::to_json(reply.view());
    return reply;
  }
  void expect_one(const std::string& collection, const std::string& ids, const std::string& wanted, const std::string& rest) {
    const std::string match = "{$match: {$or: [{_id: " + ids + "}, " + std::string(kSlow) + "]}}";
    const std::string pipeline = match + ", {$project: {n: '$_id'}}, {$match: {n: " + wanted + "}}";
    const Document reply = send("{aggregate: '" + collection + "', pipeline: [" + pipeline + "], cursor: {batchSize: 1}" + rest + "}");
    EXPECT_EQ(reply.view().at_path("cursor.firstBatch").as_document().count(), 1U);
    EXPECT_NE(reply.view().at_path("cursor.id").exact_int64(), 0);
  }
  /// Documents that the last operation on the collection has looked at.
  std::int64_t looked_at(const std::string& collection) {
    send("{profile: 0}");
    const Document told = send("{find: 'system.profile', filter: {ns: 'test." + collection + "', docsExamined: {$exists: true}}, sort: {ts: -1}, limit: 1}");
    return told.view().at_path("cursor.firstBatch.0.docsExamined").exact_int64().value_or(-1);
  }

  InProcess server_;
};

/// The second stage wants more rows than the first batch of the scan had.
TEST_F(FirstBatch, DoesNotWaitForRowsThatAreFar) {
  expect_one("c", "{$in: [0, 5]}", "5", "");
  EXPECT_LT(looked_at("c"), 100);
}

/// One leg after the other, of 500 documents each, ten of which are found soon.
TEST_F(FirstBatch, DoesNotWaitForTheEndOfALeg) {
  expect_one("parts", "{$lt: 40}", "{$lt: 40}", ", maxDegreeOfParallelism: 1");
  EXPECT_LT(looked_at("parts"), 300);
}

}  // namespace
}  // namespace partita::test
