// SPDX-License-Identifier: GPL-3.0-or-later
//
// How explain tells of indexes of all kinds: what they are, and where they are read.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class ExplainIndexes : public testing::Test {
 protected:
  /// What is told of the access, inside of the stages around it; "" for a walk over everything.
  bson::Document access(std::string_view find) {
    const bson::Document told = server_.reply("{explain: " + std::string(find) + "}");
    bson::Value stage = told.view().at_path("queryPlanner.winningPlan");
    while (stage.is_document() && !stage.as_document()["inputStage"].missing()) stage = stage.as_document()["inputStage"];
    EXPECT_TRUE(stage.is_document()) << readable(told.view());
    return stage.is_document() ? bson::Document(stage.as_document()) : bson::Document();
  }
  std::string told(std::string_view find, std::string_view field) {
    const bson::Document stage = access(find);
    const bson::Value value = stage[field];
    if (value.missing()) return "nothing";
    return value.is_document() ? readable(value.as_document()) : readable(bson::Document::build([&](bson::Writer& w) { w.add("is", value); }).view());
  }

  InProcess server_;
};

TEST_F(ExplainIndexes, OfPartialOnes) {
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'p', partialFilterExpression: {b: {$gt: 5}}}]}");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1, b: 6}}", "isPartial"), "{is: true}");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1, b: 6}}", "indexBounds"), R"({a: ["[1, 1]"]})");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1, b: 4}}", "stage"), R"({is: "COLLSCAN"})");
  EXPECT_EQ(told("{find: 'c', filter: {b: 6}, sort: {a: 1}}", "indexBounds"), R"({a: ["[MinKey, MaxKey]"]})");
}

TEST_F(ExplainIndexes, PatternsWithTheirOptions) {
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'ab'}]}");
  const auto plan = [&](std::string_view filter) {
    const bson::Document told = server_.reply("{explain: {find: 'c', filter: " + std::string(filter) + "}}");
    const bson::View fetch = told.view().at_path("queryPlanner.winningPlan").as_document();
    EXPECT_EQ(fetch["stage"].as_string(), "FETCH");
    const bson::Value of_fetch = fetch["filter"];
    const bson::Value of_keys = fetch.at_path("inputStage.filter");
    return (of_fetch.missing() ? "-" : readable(of_fetch.as_document())) + " " + (of_keys.missing() ? "-" : readable(of_keys.as_document()));
  };
  EXPECT_EQ(plan("{a: {$gt: 3}, b: {$regex: 'b', $options: 'i'}}"), "- {b: {$regex: \"b\", $options: \"i\"}}");
  EXPECT_EQ(plan("{a: 3, b: {$regex: 'b', $options: ''}}"), "- {b: {$regex: \"b\"}}");
  EXPECT_EQ(plan("{a: 3, b: /b/i}"), "- {b: {$regex: \"b\", $options: \"i\"}}");
  EXPECT_EQ(plan("{a: 3, $comment: 'x'}"), "- -");
  EXPECT_EQ(plan("{a: 3, c: {$regex: 'b', $options: 'i'}}"), "{c: {$regex: \"b\", $options: \"i\"}} -");
}

TEST_F(ExplainIndexes, OfHashedOnes) {
  server_.run("{createIndexes: 'c', indexes: [{key: {b: 1, a: 'hashed'}, name: 'h'}]}");
  EXPECT_EQ(told("{find: 'c', filter: {b: 2, a: 5}}", "keyPattern"), R"({b: 1, a: "hashed"})");
  const std::string bounds = told("{find: 'c', filter: {b: 2, a: 5}}", "indexBounds");
  EXPECT_TRUE(bounds.starts_with(R"({b: ["[2, 2]"], a: ["[)")) << bounds;
  EXPECT_EQ(told("{find: 'c', filter: {b: 2, a: 5.0}}", "indexBounds"), bounds);
  EXPECT_EQ(told("{find: 'c', filter: {b: 2, a: 5}}", "multiKeyPaths"), "nothing");
}

TEST_F(ExplainIndexes, OfTexts) {
  server_.run("{createIndexes: 'c', indexes: [{key: {p: 1, a: 'text'}, name: 't'}]}");
  server_.run("{insert: 'c', documents: [{_id: 1, p: 1, a: 'apple pie'}, {_id: 2, p: 1, a: 'apple'}, {_id: 3, p: 1, a: 'tart pie'}]}");
  constexpr std::string_view kPlain = "{find: 'c', filter: {p: 1, $text: {$search: 'Apples \"pie crust\" -tart'}}}";
  EXPECT_EQ(told(kPlain, "stage"), R"({is: "IXSCAN"})");
  EXPECT_EQ(told(kPlain, "keyPattern"), R"({p: 1, _fts: "text", _ftsx: 1})");
  EXPECT_EQ(told(kPlain, "indexBounds"),
            R"x({p: ["[1, 1]"], _fts: ["[\"appl\", \"appl\"]", "[\"crust\", \"crust\"]", "[\"pie\", \"pie\"]"]})x");
  const bson::Document plain = server_.reply("{explain: " + std::string(kPlain) + ", verbosity: 'executionStats'}");
  const bson::View match = plain.view().at_path("queryPlanner.winningPlan.inputStage").as_document();
  EXPECT_EQ(match["stage"].as_string(), "TEXT_MATCH");
  EXPECT_EQ(readable(match["indexPrefix"].as_document()), "{p: 1}");
  EXPECT_EQ(readable(match["parsedTextQuery"].as_document()),
            R"({terms: ["appl", "crust", "pie"], negatedTerms: ["tart"], phrases: ["pie crust"], negatedPhrases: []})");
  EXPECT_EQ(match.at_path("inputStage.stage").as_string(), "FETCH");
  EXPECT_EQ(plain.view().at_path("executionStats.totalDocsExamined").exact_int64(), 3);
  EXPECT_EQ(plain.view().at_path("executionStats.nReturned").exact_int64(), 0);
  const bson::Document scored = server_.reply("{explain: {find: 'c', filter: {p: 1, $text: {$search: 'pie'}}, projection: {s: {$meta: 'textScore'}}}}");
  EXPECT_EQ(scored.view().at_path("queryPlanner.winningPlan.inputStage.inputStage.inputStage.stage").as_string(), "TEXT_OR");
}

TEST_F(ExplainIndexes, OfWildcards) {
  server_.run("{createIndexes: 'c', indexes: [{key: {'$**': 1}, name: 'w'}]}");
  server_.run("{insert: 'c', documents: [{_id: 1, a: [1, 2], b: {c: [{d: 1}]}, e: 5}]}");
  constexpr std::string_view kPlain = "{find: 'c', filter: {e: {$gt: 1, $lt: 8}}}";
  EXPECT_EQ(told(kPlain, "keyPattern"), "{$_path: 1, e: 1}");
  EXPECT_EQ(told(kPlain, "indexBounds"), R"x({$_path: ["[\"e\", \"e\"]"], e: ["(1, 8)"]})x");
  EXPECT_EQ(told(kPlain, "isMultiKey"), "{is: false}");
  EXPECT_EQ(told(kPlain, "multiKeyPaths"), "{$_path: [], e: []}");
  EXPECT_EQ(told("{find: 'c', filter: {'b.c.d': 1}}", "multiKeyPaths"), R"({$_path: [], "b.c.d": ["b.c"]})");
  EXPECT_EQ(told("{find: 'c', filter: {e: {$exists: true}}}", "indexBounds"),
            R"x({$_path: ["[\"e\", \"e\"]", "[\"e.\", \"e/\")"], e: ["[MinKey, MaxKey]"]})x");
  EXPECT_EQ(told("{find: 'c', filter: {e: null}}", "stage"), R"({is: "COLLSCAN"})");
  EXPECT_EQ(told("{find: 'c', filter: {'b.0': 1}}", "stage"), R"({is: "COLLSCAN"})");
}

TEST_F(ExplainIndexes, OfExpressions) {
  server_.run("{createIndexes: 'c', indexes: [{key: {'$**': 1}, name: 'w', wildcardProjection: {w: 1, v: 1}}, {key: {a: 1, b: 1}, name: 'ab'}]}");
  server_.run("{insert: 'c', documents: [{_id: 1, a: 1, b: [1], w: 5, v: [1]}]}");
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$eq: ['$w', 5]}}}", "indexBounds"), R"x({$_path: ["[\"w\", \"w\"]"], w: ["[5, 5]"]})x");
  EXPECT_EQ(told("{find: 'c', filter: {w: {$gt: 2}, $expr: {$lt: ['$w', 5]}}}", "indexBounds"),
            R"x({$_path: ["[\"w\", \"w\"]"], w: ["(2, 5)"]})x");
  // What is missing, and what is a document, has no key of its own there.
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$lt: ['$w', 5]}}}", "stage"), R"({is: "COLLSCAN"})");
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$eq: ['$w', {x: 1}]}}}", "stage"), R"({is: "COLLSCAN"})");
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$eq: ['$w', null]}}}", "stage"), R"({is: "COLLSCAN"})");
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$eq: ['$v', 1]}}}", "stage"), R"({is: "COLLSCAN"})");
  // Arrays under one field of an index leave the others as they are.
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$and: [{$eq: ['$a', '$$x']}, {$eq: ['$b', 1]}]}}, let: {x: 1}}", "indexBounds"),
            R"({a: ["[1, 1]"], b: ["[MinKey, MaxKey]"]})");
  server_.run("{insert: 'c', documents: [{_id: 2, a: [1]}]}");
  EXPECT_EQ(told("{find: 'c', filter: {$expr: {$eq: ['$a', 1]}}}", "stage"), R"({is: "COLLSCAN"})");
}

TEST_F(ExplainIndexes, TellsWhichPartsOfPathsAreArrays) {
  server_.run("{createIndexes: 'c', indexes: [{key: {'a.b': 1, 'c.d.e': -1}, name: 'm'}]}");
  constexpr std::string_view kFind = "{find: 'c', filter: {'a.b': 1}}";
  EXPECT_EQ(told(kFind, "multiKeyPaths"), R"({"a.b": [], "c.d.e": []})");
  EXPECT_EQ(told(kFind, "isMultiKey"), "{is: false}");
  server_.run("{insert: 'c', documents: [{_id: 1, a: [{b: 1}]}, {_id: 2, a: 1, c: {d: [{e: [1]}]}}]}");
  EXPECT_EQ(told(kFind, "multiKeyPaths"), R"({"a.b": ["a"], "c.d.e": ["c.d", "c.d.e"]})");
  EXPECT_EQ(told(kFind, "isMultiKey"), "{is: true}");
  EXPECT_EQ(told(kFind, "keyPattern"), R"({"a.b": 1, "c.d.e": -1})");
}

}  // namespace
}  // namespace partita::test
