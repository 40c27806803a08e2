// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which plans are told, by MongoDB's names of stages, and how much they read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "commands/index_use.h"
#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

class ExplainPlans : public testing::Test {
 protected:
  /// 300 documents {_id: i, a: i % 7, b: i % 11, c: i % 5, s: "x<i>abc"}.
  void SetUp() override {
    std::string documents;
    for (int i = 0; i < 300; ++i) {
      documents += detail::join(i == 0 ? "" : ", ", "{_id: ", i, ", a: ", i % 7, ", b: ", i % 11, ", c: ", i % 5, ", s: 'x", i, "abc'}");
    }
    send("{insert: 'c', documents: [" + documents + "]}");
    send("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'ab'}, {key: {b: 1}, name: 'b'}, {key: {s: 1}, name: 's'}]}");
  }
  bson::Document send(const std::string& command) {
    bson::Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  bson::Document explain(const std::string& command) { return send("{explain: " + command + ", verbosity: 'executionStats'}"); }
  /// The stages of the winning plan, outermost first, branches in brackets, and what was read: "FETCH IXSCAN ab | keys 3 documents 2".
  std::string told(const std::string& command) {
    const bson::Document reply = explain(command);
    std::string text;
    for (bson::Value stage = at(reply.view(), "queryPlanner.winningPlan"); stage.is_document();) text += name(stage, stage);
    return text + detail::join("| keys ", at(reply.view(), "executionStats.totalKeysExamined").exact_int64().value_or(-1), " documents ",
                               at(reply.view(), "executionStats.totalDocsExamined").exact_int64().value_or(-1));
  }
  static std::string name(bson::Value stage, bson::Value& next) {
    const bson::View inside = stage.as_document();
    std::string text(inside["stage"].as_string());
    if (inside["indexName"].is_string()) text.append(" ").append(inside["indexName"].as_string());
    text += " ";
    if (inside["inputStages"].is_array()) {
      text += "[";
      bson::Value below;
      for (const bson::Field& branch : inside["inputStages"].as_document()) text += name(branch.value, below);
      text += "] ";
    }
    next = inside["inputStage"];
    return text;
  }

  InProcess server_;
};

TEST_F(ExplainPlans, OfAnOr) {
  EXPECT_EQ(told("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}}"), "SUBPLAN FETCH OR [IXSCAN ab IXSCAN b ] | keys 71 documents 67");
  EXPECT_EQ(told("{find: 'c', filter: {$or: [{a: 1}, {c: 2}]}}"), "SUBPLAN COLLSCAN | keys 0 documents 300");
  EXPECT_EQ(told("{find: 'c', filter: {c: 2, $or: [{a: 1}, {b: 2}]}}"), "FETCH OR [IXSCAN ab IXSCAN b ] | keys 71 documents 67");
  EXPECT_EQ(told("{find: 'c', filter: {$or: [{b: {$lt: 2}}, {b: {$gt: 9}}]}, sort: {b: 1}, limit: 3}"), "SUBPLAN LIMIT FETCH IXSCAN b | keys 3 documents 3");
  EXPECT_EQ(told("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}, sort: {c: 1}}"), "SUBPLAN SORT FETCH OR [IXSCAN ab IXSCAN b ] | keys 71 documents 67");
  EXPECT_EQ(told("{delete: 'c', deletes: [{q: {$or: [{a: 1}, {b: 2}]}, limit: 0}]}"), "DELETE SUBPLAN FETCH OR [IXSCAN ab IXSCAN b ] | keys 71 documents 67");
  EXPECT_EQ(told("{count: 'c', query: {$or: [{a: 1}, {b: 2}]}}"), "COUNT SUBPLAN OR [COUNT_SCAN ab COUNT_SCAN b ] | keys 71 documents 0");
}

TEST_F(ExplainPlans, OfWalksInTurns) {
  EXPECT_EQ(told("{find: 'c', filter: {a: {$in: [1, 5]}}, sort: {b: 1}, limit: 3}"), "LIMIT FETCH SORT_MERGE [IXSCAN ab IXSCAN ab ] | keys 4 documents 3");
  EXPECT_EQ(told("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}, sort: {b: -1}, limit: 2}"), "SUBPLAN LIMIT FETCH SORT_MERGE [IXSCAN ab IXSCAN b ] | keys 3 documents 2");
  EXPECT_EQ(told("{find: 'c', filter: {a: {$in: [1, 5]}}, sort: {b: 1}, projection: {a: 1, b: 1, _id: 0}}"),
            "PROJECTION_DEFAULT SORT_MERGE [IXSCAN ab IXSCAN ab ] | keys 86 documents 0");
}

TEST_F(ExplainPlans, OfCoveredQueries) {
  EXPECT_EQ(told("{find: 'c', filter: {a: 1}, projection: {a: 1, b: 1, _id: 0}}"), "PROJECTION_COVERED IXSCAN ab | keys 43 documents 0");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1}, projection: {a: 1}}"), "PROJECTION_SIMPLE FETCH IXSCAN ab | keys 43 documents 43");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1, c: 2}, projection: {a: 1, _id: 0}}"), "PROJECTION_SIMPLE FETCH IXSCAN ab | keys 43 documents 43");
  EXPECT_EQ(server_.run("{find: 'c', filter: {a: 1, b: {$lt: 2}}, projection: {b: 1, _id: 0}, limit: 2}"),
            "{cursor: {firstBatch: [{b: 0}, {b: 0}], id: 0, ns: \"test.c\"}, ok: 1.0}");
  EXPECT_EQ(told("{aggregate: 'c', pipeline: [{$match: {a: 1}}], cursor: {}}"), "FETCH IXSCAN ab | keys 43 documents 43");
  // What is missing is not null, and only the document tells.
  send("{insert: 'c', documents: [{_id: 1000, a: 1}, {_id: 1001, a: 1, b: null}]}");
  EXPECT_EQ(server_.run("{find: 'c', filter: {a: 1, b: null}, projection: {b: 1, _id: 0}, sort: {_id: 1}}"),
            "{cursor: {firstBatch: [{}, {b: null}], id: 0, ns: \"test.c\"}, ok: 1.0}");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1}, projection: {a: 1, b: 1, _id: 0}}"), "PROJECTION_COVERED IXSCAN ab | keys 45 documents 2");
  // An array is more than its keys.
  send("{insert: 'c', documents: [{_id: 1002, a: 1, b: [1, 2]}]}");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1}, projection: {a: 1, b: 1, _id: 0}}"), "PROJECTION_SIMPLE FETCH IXSCAN ab | keys 47 documents 46");
}

TEST_F(ExplainPlans, OfCountsAndDistinctValues) {
  EXPECT_EQ(told("{count: 'c', query: {a: 1}}"), "COUNT COUNT_SCAN ab | keys 43 documents 0");
  EXPECT_EQ(told("{count: 'c', query: {a: 1, b: {$gt: 3, $lt: 6}}}"), "COUNT COUNT_SCAN ab | keys 7 documents 0");
  EXPECT_EQ(told("{count: 'c', query: {b: {$mod: [2, 0]}, a: 1}}"), "COUNT IXSCAN ab | keys 43 documents 0");
  EXPECT_EQ(told("{distinct: 'c', key: 'a'}"), "PROJECTION_COVERED DISTINCT_SCAN ab | keys 63 documents 0");
  EXPECT_EQ(told("{distinct: 'c', key: 'b', query: {a: 3}}"), "PROJECTION_COVERED DISTINCT_SCAN ab | keys 43 documents 0");
  EXPECT_EQ(told("{distinct: 'c', key: 'c', query: {a: 3}}"), "PROJECTION_SIMPLE FETCH IXSCAN ab | keys 43 documents 43");
  EXPECT_EQ(server_.run("{distinct: 'c', key: 'a', query: {a: {$gt: 3}}}"), "{values: [4, 5, 6], ok: 1.0}");
  send("{insert: 'c', documents: [{_id: 1000}, {_id: 1001, a: null}]}");
  EXPECT_EQ(server_.run("{distinct: 'c', key: 'a'}"), "{values: [null, 0, 1, 2, 3, 4, 5, 6], ok: 1.0}");
}

TEST_F(ExplainPlans, OfRegularExpressionsWithoutABeginning) {
  EXPECT_EQ(told("{find: 'c', filter: {s: /7abc/}}"), "FETCH IXSCAN s | keys 300 documents 30");
  EXPECT_EQ(told("{find: 'c', filter: {s: /^X7ABC/i}}"), "FETCH IXSCAN s | keys 300 documents 1");
  EXPECT_EQ(told("{find: 'c', filter: {s: /^x7/}}"), "FETCH IXSCAN s | keys 11 documents 11");
  const bson::Document reply = explain("{find: 'c', filter: {s: /7abc/}}");
  EXPECT_EQ(bson::to_json(at(reply.view(), "queryPlanner.winningPlan.inputStage.indexBounds.s.0")), "\"[\\\"\\\", {})\"");
}

TEST_F(ExplainPlans, AreTriedAndKept) {
  // Both are looked at; the one that finds what is asked for sooner wins.
  const bson::Document reply = explain("{find: 'c', filter: {a: {$gte: 0}, b: 2}}");
  EXPECT_EQ(at(reply.view(), "queryPlanner.winningPlan.inputStage.indexName").as_string(), "b");
  EXPECT_EQ(at(reply.view(), "queryPlanner.rejectedPlans.0.inputStage.indexName").as_string(), "ab");
  EXPECT_EQ(at(reply.view(), "queryPlanner.queryHash").as_string().size(), 8U);
  const std::string kept = "{aggregate: 'c', pipeline: [{$planCacheStats: {}}], cursor: {}}";
  const bson::Document stats = send(kept);
  EXPECT_EQ(at(stats.view(), "cursor.firstBatch.0.queryHash").as_string(), at(reply.view(), "queryPlanner.queryHash").as_string());
  EXPECT_EQ(at(stats.view(), "cursor.firstBatch.0.cachedPlan.inputStage.indexName").as_string(), "b");
  EXPECT_EQ(bson::to_json(at(stats.view(), "cursor.firstBatch.0.isActive")), "true");
  // The same shape with other values is led by it. When that is much worse, the next one is tried anew.
  send("{planCacheClear: 'c', query: {a: 1}}");
  EXPECT_TRUE(at(send(kept).view(), "cursor.firstBatch.0").is_document());
  send("{planCacheClear: 'c', query: {a: {$gte: 7}, b: 8}}");
  EXPECT_TRUE(at(send(kept).view(), "cursor.firstBatch").as_document().empty());
  send("{find: 'c', filter: {a: {$gte: 0}, b: 2}}");
  EXPECT_TRUE(at(send(kept).view(), "cursor.firstBatch.0").is_document());
  send("{createIndexes: 'c', indexes: [{key: {c: 1}, name: 'c'}]}");
  EXPECT_TRUE(at(send(kept).view(), "cursor.firstBatch").as_document().empty());
}

TEST_F(ExplainPlans, AreTriedAgainWhenTheyHaveBecomeMuchWorse) {
  std::string documents;
  for (int i = 0; i < 5000; ++i) documents += detail::join(i == 0 ? "" : ", ", "{x: ", i < 4990 ? 1 : i, ", y: ", i < 4990 ? i : 1, "}");
  send("{insert: 'd', documents: [" + documents + "]}");
  send("{createIndexes: 'd', indexes: [{key: {x: 1}, name: 'x'}, {key: {y: 1}, name: 'y'}]}");
  const auto winner = [&](const std::string& filter) {
    return std::string(at(explain("{find: 'd', filter: " + filter + "}").view(), "queryPlanner.winningPlan.inputStage.indexName").as_string());
  };
  EXPECT_EQ(winner("{x: 4995, y: 1}"), "x");
  const bson::Document kept = send("{explain: {find: 'd', filter: {x: 1, y: 77}}, verbosity: 'queryPlanner'}");
  EXPECT_EQ(at(kept.view(), "queryPlanner.winningPlan.inputStage.indexName").as_string(), "x");
  EXPECT_EQ(winner("{x: 1, y: 77}"), "y") << "given up where it is run";
  // A pipeline too, and what is given up is told nowhere.
  send("{planCacheClear: 'd'}");
  EXPECT_EQ(winner("{x: 4995, y: 1}"), "x");
  const bson::Document told = send("{explain: {aggregate: 'd', pipeline: [{$match: {x: 1, y: 77}}, {$group: {_id: null, n: {$sum: 1}}}], cursor: {}}, "
                                   "verbosity: 'executionStats'}");
  EXPECT_EQ(readable(told.view()).find("keysExamined: 4990"), std::string::npos) << readable(told.view());
}

/// A plan that sorts has nothing to show before its end, which is near where an index leads to few rows.
TEST_F(ExplainPlans, LetWhoSortsComeToTheEndOfItsRows) {
  std::string documents;
  for (int i = 0; i < 3000; ++i) documents += (i == 0 ? "" : ", ") + ("{_id: " + std::to_string(i) + ", f: " + std::to_string(i) + "}");
  send("{insert: 'many', documents: [" + documents + "]}");
  send("{createIndexes: 'many', indexes: [{key: {f: 1}, name: 'f'}]}");
  const std::string find = "find: 'many', filter: {f: {$lt: 200}}, sort: {_id: -1}, limit: 5";
  for (int i = 0; i < 2; ++i) {
    const bson::Document told = send("{explain: {" + find + "}, verbosity: 'executionStats'}");
    EXPECT_EQ(at(told.view(), "executionStats.totalDocsExamined").exact_int64(), 200);
  }
}

/// A filter that a view's stages leave alone is the walk's.
TEST_F(ExplainPlans, OfViewsLookUpWhatIsAsked) {
  send("{create: 'v', viewOn: 'c', pipeline: [{$project: {z: 0}}, {$match: {a: {$gte: 0}}}]}");
  for (const char* asked : {"{find: 'v', filter: {_id: 7}}", "{aggregate: 'c', pipeline: [{$sort: {s: 1}}, {$match: {_id: 7}}], cursor: {}}"}) {
    const std::string told = bson::to_json(send(std::string("{explain: ") + asked + ", verbosity: 'executionStats'}").view());
    EXPECT_THAT(told, testing::HasSubstr(R"("totalDocsExamined":1,)")) << asked;
  }
}

TEST_F(ExplainPlans, OfCountsAndDistinctsByACollation) {
  const std::string by = ", collation: {locale: 'en', strength: 2}";
  send("{createIndexes: 'c', indexes: [{key: {t: 1, a: 1}, name: 't'" + by + "}]}");
  send("{update: 'c', updates: [{q: {a: {$lt: 3}}, u: {$set: {t: 'Ann'}}, multi: true}, {q: {a: 3}, u: {$set: {t: 'ANN'}}, multi: true}, "
       "{q: {a: 4}, u: {$set: {t: 'bob'}}, multi: true}, {q: {a: 5}, u: {$set: {t: null}}, multi: true}]}");
  EXPECT_EQ(told("{count: 'c', query: {t: 'ann'}" + by + "}"), "COUNT COUNT_SCAN t | keys 172 documents 0");
  EXPECT_EQ(told("{count: 'c', query: {t: 'ann'}}"), "COUNT COLLSCAN | keys 0 documents 300");
  EXPECT_EQ(told("{count: 'c', query: {t: 'ann', a: 3}" + by + "}"), "COUNT COUNT_SCAN t | keys 43 documents 0");
  // Keys tell values apart, documents what they are; and what is null may be missing.
  EXPECT_EQ(told("{distinct: 'c', key: 't'" + by + "}"), "PROJECTION_SIMPLE FETCH DISTINCT_SCAN t | keys 103 documents 87");
  EXPECT_EQ(told("{distinct: 'c', key: 't'}"), "PROJECTION_SIMPLE COLLSCAN | keys 0 documents 300");
  const bson::Document listed = send("{distinct: 'c', key: 't'" + by + "}");
  EXPECT_EQ(bson::to_json(listed["values"]), R"([null,"Ann","bob"])");
}

/// Whether the collection is divided.
class PlansGivenUp : public ExplainPlans, public testing::WithParamInterface<bool> {
 protected:
  /// In the last twenty x is unique, and y is 1; in all others it is the other way round.
  void SetUp() override {
    if (GetParam()) send("{shardCollection: 'test.d', key: {_id: 'hashed'}, numInitialChunks: 4}");
    std::string documents;
    for (int i = 0; i < 6000; ++i) {
      documents += detail::join(i == 0 ? "" : ", ", "{_id: ", i, ", x: ", i < 5980 ? 1 : i, ", y: ", i < 5980 ? i : 1, ", z: ", i % 150, "}");
    }
    send("{insert: 'd', documents: [" + documents + "]}");
    send("{createIndexes: 'd', indexes: [{key: {x: 1}, name: 'x'}, {key: {y: 1}, name: 'y'}]}");
    send("{profile: 2}");
  }
  void TearDown() override { server_.run("{profile: 0}"); }
  /// The plan for this shape is the one by x afterwards.
  void cache(const std::string& filter, const std::string& more = "") { send("{find: 'd', filter: " + filter + more + "}"); }
  /// What was told of the last command, or statement, of this kind.
  bson::Document last(const std::string& filter) {
    const bson::Document reply = send("{find: 'system.profile', filter: " + filter + ", sort: {$natural: -1}, limit: 1}");
    const bson::View rows = at(reply.view(), "cursor.firstBatch").as_document();
    return rows.empty() ? bson::Document() : bson::Document(rows.begin()->value.as_document());
  }
  void expect_given_up(const std::string& kind, const std::string& plan) {
    const bson::Document told = last(kind);
    EXPECT_EQ(bson::to_json(told["replanned"]), "true") << readable(told.view());
    const std::string_view reason = told["replanReason"].is_string() ? told["replanReason"].as_string() : std::string_view();
    EXPECT_TRUE(reason.starts_with("cached plan was less efficient than expected")) << readable(told.view());
    EXPECT_EQ(told["planSummary"].as_string(), plan) << readable(told.view());
  }
};

INSTANTIATE_TEST_SUITE_P(Divided, PlansGivenUp, testing::Bool());

TEST_P(PlansGivenUp, ByAFind) {
  cache("{x: 5990, y: 1}");
  EXPECT_EQ(bson::to_json(at(send("{find: 'd', filter: {x: 1, y: 77}}").view(), "cursor.firstBatch.0._id")), "77");
  expect_given_up("{'command.find': 'd', 'command.filter.y': 77}", "IXSCAN { y: 1 }");
  // The new plan is kept; who goes on by it is not tried again.
  send("{find: 'd', filter: {x: 1, y: 78}}");
  EXPECT_FALSE(last("{'command.find': 'd', 'command.filter.y': 78}").view().has("replanned"));
}

TEST_P(PlansGivenUp, ByASort) {
  cache("{x: 5990, y: 1}", ", sort: {z: 1}");
  EXPECT_EQ(bson::to_json(at(send("{find: 'd', filter: {x: 1, y: {$gte: 77, $lt: 79}}, sort: {z: 1}}").view(), "cursor.firstBatch.1._id")), "78");
  cache("{x: 5990, y: {$lt: 5}}", ", sort: {z: 1}");
  EXPECT_EQ(bson::to_json(at(send("{find: 'd', filter: {x: 1, y: {$lt: 7}}, sort: {z: 1}}").view(), "cursor.firstBatch.6._id")), "6");
  expect_given_up("{'command.find': 'd', 'command.filter.y.$lt': 7}", "IXSCAN { y: 1 }");
}

TEST_P(PlansGivenUp, ByAGroup) {
  const auto grouped = [&](const std::string& filter) {
    const bson::Document reply = send("{aggregate: 'd', pipeline: [{$match: " + filter + "}, {$group: {_id: null, n: {$sum: 1}}}], cursor: {}}");
    return bson::to_json(at(reply.view(), "cursor.firstBatch"));
  };
  grouped("{x: 5990, y: 1}");
  EXPECT_EQ(grouped("{x: 1, y: 77}"), R"([{"_id":null,"n":1}])");
  expect_given_up("{'command.aggregate': 'd'}", "IXSCAN { y: 1 }");
}

TEST_P(PlansGivenUp, ByACountAndADistinct) {
  send("{count: 'd', query: {x: 5990, y: 1}}");
  EXPECT_EQ(send("{count: 'd', query: {x: 1, y: 77}}")["n"].exact_int64(), 1);
  expect_given_up("{'command.count': 'd'}", "IXSCAN { y: 1 }");
  send("{distinct: 'd', key: 'z', query: {x: 5990, y: 1}}");
  EXPECT_EQ(bson::to_json(send("{distinct: 'd', key: 'z', query: {x: 1, y: 77}}")["values"]), "[77]");
  expect_given_up("{'command.distinct': 'd'}", "IXSCAN { y: 1 }");
}

TEST_P(PlansGivenUp, ByWrites) {
  cache("{x: 5990, y: 1}");
  EXPECT_EQ(send("{update: 'd', updates: [{q: {x: 1, y: 5900}, u: {$set: {n: 1}}}]}")["nModified"].exact_int64(), 1);
  expect_given_up("{op: 'update'}", "IXSCAN { y: 1 }");
  send("{planCacheClear: 'd'}");
  cache("{x: 5990, y: {$lt: 5}}");
  EXPECT_EQ(send("{update: 'd', updates: [{q: {x: 1, y: {$lt: 7}}, u: {$inc: {n: 1}}, multi: true}]}")["nModified"].exact_int64(), 7);
  expect_given_up("{op: 'update'}", "IXSCAN { y: 1 }");
  send("{planCacheClear: 'd'}");
  cache("{x: 5990, y: 1}");
  EXPECT_EQ(send("{delete: 'd', deletes: [{q: {x: 1, y: 5900}, limit: 1}]}")["n"].exact_int64(), 1);
  expect_given_up("{op: 'remove'}", "IXSCAN { y: 1 }");
  send("{planCacheClear: 'd'}");
  cache("{x: 5990, y: 1}", ", sort: {z: 1}");
  EXPECT_EQ(at(send("{findAndModify: 'd', query: {x: 1, y: 5901}, sort: {z: 1}, remove: true}").view(), "value._id").exact_int64(), 5901);
  expect_given_up("{'command.findAndModify': 'd'}", "IXSCAN { y: 1 }");
}

TEST_P(PlansGivenUp, NotBehindTheFirstBatch) {
  // The first hundred are found at once, the next one far behind them.
  send("{createIndexes: 'd', indexes: [{key: {z: 1}, name: 'z'}]}");
  cache("{x: 1, z: {$gte: 0}}", ", batchSize: 2");
  bson::Document reply = send("{find: 'd', filter: {x: {$gte: 5980}, z: {$gte: 0}}, batchSize: 2}");
  std::size_t rows = at(reply.view(), "cursor.firstBatch").as_document().count();
  const std::int64_t id = at(reply.view(), "cursor.id").exact_int64().value_or(0);
  ASSERT_NE(id, 0);
  reply = send("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: 'd'}");
  EXPECT_EQ(rows + at(reply.view(), "cursor.nextBatch").as_document().count(), 20U);
}

TEST_F(ExplainPlans, OfMinAndMax) {
  EXPECT_EQ(told("{find: 'c', min: {b: 3}, max: {b: 5}, hint: {b: 1}}"), "FETCH IXSCAN b | keys 54 documents 54");
  EXPECT_EQ(told("{find: 'c', filter: {a: 1}, min: {b: 3}, max: {b: 5}, hint: 'b'}"), "FETCH IXSCAN b | keys 54 documents 54");
}

TEST_F(ExplainPlans, TellHowOftenIndexesAreUsed) {
  const auto uses = [&] {
    std::map<std::string, std::int64_t> each;
    const bson::Document reply = send("{aggregate: 'c', pipeline: [{$indexStats: {}}], cursor: {}}");
    for (const bson::Field& row : at(reply.view(), "cursor.firstBatch").as_document()) {
      const bson::View index = row.value.as_document();
      EXPECT_TRUE(index["host"].is_string());
      EXPECT_EQ(index["spec"].as_document()["name"].as_string(), index["name"].as_string());
      each[std::string(index["name"].as_string())] = index["accesses"].as_document()["ops"].exact_int64().value_or(-1);
    }
    return each;
  };
  EXPECT_EQ(uses(), (std::map<std::string, std::int64_t>{{"_id_", 0}, {"ab", 0}, {"b", 0}, {"s", 0}}));
  send("{find: 'c', filter: {s: 'x'}}");
  send("{find: 'c', filter: {_id: 7}}");
  send("{count: 'c', query: {s: {$gt: 'x'}}}");
  send("{update: 'c', updates: [{q: {$or: [{s: 'y'}, {b: 77}]}, u: {$set: {z: 1}}}]}");
  send("{explain: {find: 'c', filter: {s: 'x'}}}");
  EXPECT_EQ(uses(), (std::map<std::string, std::int64_t>{{"_id_", 1}, {"ab", 0}, {"b", 1}, {"s", 3}}));
  // What turns out too long for an io core begins anew, and is one query still.
  for (int i = 0; i < 3; ++i) {
    const bson::Document all = send("{find: 'c', filter: {a: {$gte: 0}}, hint: 'ab', batchSize: 1000}");
    EXPECT_EQ(at(all.view(), "cursor.firstBatch").as_document().count(), 300U);
  }
  for (int i = 0; i < 2; ++i) send("{find: 'c', filter: {b: 3}, sort: {c: 1}, limit: 5}");
  EXPECT_EQ(uses(), (std::map<std::string, std::int64_t>{{"_id_", 1}, {"ab", 3}, {"b", 3}, {"s", 3}}));
  EXPECT_EQ(server_.reply("{aggregate: 'c', pipeline: [{$indexStats: {a: 1}}], cursor: {}}")["code"].exact_int64(), 28803);
}

TEST_F(ExplainPlans, ForgetUsesWithTheIndex) {
  const auto make = [&](const std::string& name) {
    send("{insert: '" + name + "', documents: [{_id: 1, a: 1}]}");
    send("{createIndexes: '" + name + "', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}]}");
    for (const char* filter : {"{a: 1}", "{b: 1}", "{_id: 1}"}) send("{find: '" + name + "', filter: " + filter + "}");
    return commands::index_uses();
  };
  send("{dropDatabase: 1}");
  ASSERT_EQ(commands::index_uses(), 0U);
  EXPECT_EQ(make("d"), 3U);
  send("{dropIndexes: 'd', index: 'a'}");
  EXPECT_EQ(commands::index_uses(), 2U);
  EXPECT_EQ(make("e"), 5U);
  send("{drop: 'e'}");
  EXPECT_EQ(commands::index_uses(), 2U);
  EXPECT_EQ(make("e"), 5U);
  send("{renameCollection: 'test.d', to: 'test.e', dropTarget: true}");
  EXPECT_EQ(commands::index_uses(), 2U) << "those of the one that has the name now";
  send("{convertToCapped: 'e', size: 100000}");
  EXPECT_EQ(commands::index_uses(), 0U) << "made anew";
  EXPECT_EQ(make("g"), 3U);
  send("{collMod: 'g', index: {name: 'b', hidden: true}}");
  EXPECT_LE(commands::index_uses(), 3U);
  send("{dropDatabase: 1}");
  EXPECT_EQ(commands::index_uses(), 0U);
}

}  // namespace
}  // namespace partita::test
