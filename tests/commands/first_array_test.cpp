// SPDX-License-Identifier: GPL-3.0-or-later
// The first array in an index comes between a query's plan, which knows of none, and its first look at the data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/overtaken.h"

namespace partita::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

/// Whether the collection is divided.
class FirstArray : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) send("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: 4}");
    send("{insert: 'c', documents: [{_id: 1, a: 0}, {_id: 2, a: 4}, {_id: 3, a: 20}, {_id: 4, a: 30}]}");
    send("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
  }
  void send(const std::string& command) { ASSERT_THAT(server_.run(command), HasSubstr("ok: 1.0")) << command; }

  /// The answer of a command that planned before the array was there and reads behind it.
  std::string overtaken(const std::string& command, const std::string& document = "{_id: 5, a: [1, 9]}") {
    return answer_overtaken(server_, command, 300ms, [&] { send("{insert: 'c', documents: [" + document + "]}"); });
  }
  /// In place of the index on `a`: one with another field, which has arrays in a document with this `a`.
  void have_arrays_beside(int a) {
    send("{dropIndexes: 'c', index: 'a_1'}");
    send("{createIndexes: 'c', indexes: [{key: {a: 1, z: 1}, name: 'az'}]}");
    send("{insert: 'c', documents: [{_id: 6, a: " + std::to_string(a) + ", z: [1, 2]}]}");
  }
  /// The rest of a cursor whose first batch was answered before document 5 came.
  std::string rest_behind(const std::string& find, const std::string& document) {
    Client reader(server_.server());
    const bson::Document first = reader.reply(find);
    const bson::Value id = first["cursor"].as_document()["id"];
    EXPECT_NE(id.as_int64(), 0) << readable(first.view());
    send("{insert: 'c', documents: [" + document + "]}");
    return reader.run("{getMore: {$numberLong: '" + std::to_string(id.as_int64()) + "'}, collection: 'c'}");
  }
  InProcess server_;
};

INSTANTIATE_TEST_SUITE_P(Divided, FirstArray, testing::Bool());

TEST_P(FirstArray, IsSeenByAFindOverARange) {
  EXPECT_THAT(overtaken("{find: 'c', filter: {a: {$gt: 4, $lt: 8}}}"), HasSubstr("_id: 5"));
}

TEST_P(FirstArray, ComesWhereASortHasIt) {
  EXPECT_THAT(overtaken("{find: 'c', filter: {a: {$gt: 3, $lt: 25}}, sort: {a: 1}, projection: {a: 0}}"),
              HasSubstr("[{_id: 5}, {_id: 2}, {_id: 3}]"));
}

// To an expression an array is one value, above all numbers.
TEST_P(FirstArray, IsSeenByAnExpression) {
  EXPECT_THAT(overtaken("{find: 'c', filter: {$expr: {$gt: ['$a', 25]}}}"), HasSubstr("_id: 5"));
}

TEST_P(FirstArray, IsSeenByAnExpressionWhereAnotherFieldHasArrays) {
  have_arrays_beside(2);
  EXPECT_THAT(overtaken("{find: 'c', filter: {$expr: {$gt: ['$a', 25]}}}"), HasSubstr("_id: 5"));
}

// There are arrays in the index already, under another field.
TEST_P(FirstArray, IsSeenWhereAnotherFieldHasArrays) {
  have_arrays_beside(40);
  EXPECT_THAT(overtaken("{find: 'c', filter: {a: {$gt: 4, $lt: 8}}}"), HasSubstr("_id: 5"));
}

TEST_P(FirstArray, ComesWhereASortHasItAndAnotherFieldHasArrays) {
  have_arrays_beside(40);
  EXPECT_THAT(overtaken("{find: 'c', filter: {a: {$gt: 3, $lt: 25}}, sort: {a: 1}, projection: {a: 0}}"),
              HasSubstr("[{_id: 5}, {_id: 2}, {_id: 3}]"));
}

// An $elemMatch takes both ends of a range as long as no element has an array there.
TEST_P(FirstArray, IsSeenWithinAnElement) {
  send("{createIndexes: 'c', indexes: [{key: {'e.x': 1}, name: 'ex'}]}");
  send("{insert: 'c', documents: [{_id: 6, e: [{x: 5}, {x: 20}]}]}");
  EXPECT_THAT(overtaken("{find: 'c', filter: {e: {$elemMatch: {x: {$gt: 10, $lt: 15}}}}}", "{_id: 5, e: [{x: [9, 16]}]}"), HasSubstr("_id: 5"));
}

// A cursor that reads keys goes on with documents.
TEST_P(FirstArray, IsShownByACursorThatReadKeys) {
  have_arrays_beside(1);
  const std::string rest = rest_behind("{find: 'c', filter: {a: {$gt: 0, $lt: 50}}, projection: {a: 1, _id: 0}, batchSize: 1}", "{_id: 5, a: [25, 26]}");
  if (!GetParam()) {  // Of partitions rows may have been read ahead.
    EXPECT_THAT(rest, HasSubstr("{a: [25, 26]}"));
  }
  EXPECT_THAT(rest, Not(HasSubstr("{a: 25}")));
}

TEST_P(FirstArray, IsSeenByAPipeline) {
  EXPECT_THAT(overtaken("{aggregate: 'c', pipeline: [{$match: {a: {$gt: 4, $lt: 8}}}], cursor: {}}"), HasSubstr("_id: 5"));
}

TEST_P(FirstArray, IsCounted) {
  EXPECT_THAT(overtaken("{count: 'c', query: {a: {$gt: 4, $lt: 8}}}"), HasSubstr("n: 1,"));
}

TEST_P(FirstArray, IsAmongTheDistinctValues) {
  EXPECT_THAT(overtaken("{distinct: 'c', key: '_id', query: {a: {$gt: 4, $lt: 8}}}"), HasSubstr("[5]"));
}

TEST_P(FirstArray, IsFoundByAWrite) {
  EXPECT_THAT(overtaken("{update: 'c', updates: [{q: {a: {$gt: 4, $lt: 8}}, u: {$set: {seen: true}}}]}"), HasSubstr("nModified: 1"));
}

TEST_P(FirstArray, IsAmongThoseOfAWriteToMany) {
  EXPECT_THAT(overtaken("{update: 'c', updates: [{q: {a: {$gt: 3, $lt: 8}}, u: {$set: {seen: true}}, multi: true}]}"),
              HasSubstr("nModified: 2"));
}

TEST_P(FirstArray, IsFirstForAFindAndModify) {
  EXPECT_THAT(overtaken("{findAndModify: 'c', query: {a: {$gt: 3, $lt: 25}}, sort: {a: 1}, remove: true}"), HasSubstr("_id: 5"));
}

// What the first batch has answered stands; what comes later need not hold it.
TEST_P(FirstArray, DoesNotEndACursor) {
  const std::string rest = rest_behind("{find: 'c', filter: {a: {$gt: 3, $lt: 25}}, batchSize: 1}", "{_id: 5, a: [1, 9]}");
  EXPECT_THAT(rest, HasSubstr("ok: 1.0"));
  EXPECT_THAT(rest, Not(HasSubstr("code:")));
}

}  // namespace
}  // namespace partita::test
