// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"

namespace partita::commands {
namespace {

using test::at;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class Explain : public ::testing::Test {
 protected:
  /// Ten documents {_id: i, a: i, b: i % 3} and an index on a.
  void SetUp() override {
    std::string documents;
    for (int i = 0; i < 10; ++i) {
      const std::string n = std::to_string(i);
      documents += (i == 0 ? "{_id: " : ", {_id: ") + n + ", a: " + n + ", b: " + std::to_string(i % 3) + "}";
    }
    EXPECT_EQ(run("{insert: 'c', documents: [" + documents + "]}"), "{n: 10, ok: 1.0}");
    EXPECT_EQ(reply("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}")["ok"].as_double(), 1.0);
  }
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }
  std::optional<std::int64_t> code(std::string_view command) { return reply(command)["code"].exact_int64(); }

  bson::Document explain(std::string_view command, std::string_view verbosity = "executionStats") {
    bson::Document answer =
        reply("{explain: " + std::string(command) + ", verbosity: '" + std::string(verbosity) + "'}");
    EXPECT_EQ(answer["ok"].as_double(), 1.0) << test::readable(answer.view());
    return answer;
  }
  /// The names of the stages of the winning plan and how many rows each handed on, outermost first: "LIMIT 1, COLLSCAN 1".
  static std::string stages(bson::View explained, std::string_view root = "executionStats.executionStages") {
    std::string text;
    for (bson::Value stage = at(explained, root); stage.is_document(); stage = stage.as_document()["inputStage"]) {
      const bson::View inside = stage.as_document();
      text.append(text.empty() ? "" : ", ").append(inside["stage"].as_string());
      if (const auto rows = inside["nReturned"].exact_int64()) text += " " + std::to_string(*rows);
    }
    return text;
  }
  std::string find_stages(std::string_view find) { return stages(explain(find).view()); }
  std::string documents() { return run("{find: 'c', sort: {_id: 1}, batchSize: 100}"); }

  test::InProcess server_;
};

TEST_F(Explain, ALimitBehindASortEndsTheWalkOverItsIndex) {
  std::string documents;
  for (int i = 0; i < 1000; ++i) documents += detail::join(i == 0 ? "" : ", ", "{a: ", (i * 7) % 1000, "}");
  run("{insert: 'many', documents: [" + documents + "]}");
  run("{createIndexes: 'many', indexes: [{key: {a: 1}, name: 'a_1'}]}");
  const std::string pipeline = "[{$match: {a: {$gte: 0}}}, {$sort: {a: -1}}, {$skip: 1}, {$limit: 2}]";
  const std::string aggregate = "{aggregate: 'many', pipeline: " + pipeline + ", cursor: {}}";
  const bson::Document told = explain(aggregate);
  EXPECT_LE(at(told.view(), "stages.0.$cursor.executionStats.totalDocsExamined").exact_int64(), 16);
  EXPECT_EQ(test::readable(at(told.view(), "stages.1").as_document()), "{$skip: 1, nReturned: 15}");
  EXPECT_EQ(test::readable(at(told.view(), "stages.2").as_document()), "{$limit: 2, nReturned: 2}");
  const bson::Document answer = reply(aggregate);
  EXPECT_EQ(at(answer.view(), "cursor.firstBatch.0.a").exact_int64(), 998);
  EXPECT_EQ(at(answer.view(), "cursor.firstBatch.1.a").exact_int64(), 997);
}

TEST_F(Explain, TellsThePlanOfAFind) {
  const bson::Document told = explain("{find: 'c', filter: {a: {$gt: 3}}, projection: {a: 1}}", "queryPlanner");
  const bson::View planner = told["queryPlanner"].as_document();
  EXPECT_EQ(planner["namespace"].as_string(), "test.c");
  EXPECT_EQ(test::readable(planner["parsedQuery"].as_document()), "{a: {$gt: 3}}");
  EXPECT_EQ(stages(told.view(), "queryPlanner.winningPlan"), "PROJECTION_SIMPLE, FETCH, IXSCAN");
  const bson::View scan = at(planner, "winningPlan.inputStage.inputStage").as_document();
  EXPECT_EQ(test::readable(scan["keyPattern"].as_document()), "{a: 1}");
  EXPECT_EQ(scan["indexName"].as_string(), "a_1");
  EXPECT_EQ(test::readable(scan["indexBounds"].as_document()), "{a: [\"(3, inf]\"]}");
  EXPECT_FALSE(told.view().has("executionStats"));
  EXPECT_EQ(test::readable(told["command"].as_document()), "{find: \"c\", filter: {a: {$gt: 3}}, projection: {a: 1}, $db: \"test\"}");
  EXPECT_TRUE(told["serverInfo"].as_document()["host"].is_string());
}

TEST_F(Explain, CountsWhatPassesFromStageToStage) {
  EXPECT_EQ(find_stages("{find: 'c', filter: {b: 1}}"), "COLLSCAN 3");
  EXPECT_EQ(find_stages("{find: 'c', filter: {b: 1}, skip: 1, limit: 1}"), "LIMIT 1, SKIP 1, COLLSCAN 2");
  EXPECT_EQ(find_stages("{find: 'c', filter: {a: {$gt: 3}, b: 1}}"), "FETCH 2, IXSCAN 6");
  EXPECT_EQ(find_stages("{find: 'c', filter: {a: {$gt: 3}}, sort: {b: 1}, skip: 1, limit: 2, projection: {'x.y': 1}}"),
            "PROJECTION_DEFAULT 2, SKIP 2, SORT 3, FETCH 6, IXSCAN 6");
  EXPECT_EQ(find_stages("{find: 'c', sort: {a: -1}, limit: 2}"), "LIMIT 2, FETCH 2, IXSCAN 2");
  EXPECT_EQ(find_stages("{find: 'c', filter: {_id: 3}}"), "IDHACK 1");
  EXPECT_EQ(find_stages("{find: 'c', filter: {_id: {$gte: 3}, b: 1}}"), "CLUSTERED_IXSCAN 2");
  EXPECT_EQ(find_stages("{find: 'nope', filter: {b: 1}}"), "EOF 0");
}

TEST_F(Explain, CountsWhatWasLookedAt) {
  const auto examined = [&](std::string_view find) {
    const bson::Document told = explain(find);
    const bson::View stats = told["executionStats"].as_document();
    EXPECT_TRUE(stats["executionSuccess"].as_bool());
    return std::vector<std::int64_t>{*stats["nReturned"].exact_int64(), *stats["totalKeysExamined"].exact_int64(),
                                     *stats["totalDocsExamined"].exact_int64()};
  };
  EXPECT_EQ(examined("{find: 'c', filter: {b: 1}}"), (std::vector<std::int64_t>{3, 0, 10}));
  EXPECT_EQ(examined("{find: 'c', filter: {b: 1}, limit: 1}"), (std::vector<std::int64_t>{1, 0, 2}));
  EXPECT_EQ(examined("{find: 'c', filter: {a: {$gt: 3}, b: 1}}"), (std::vector<std::int64_t>{2, 6, 6}));
  EXPECT_EQ(examined("{find: 'c', filter: {_id: 3}}"), (std::vector<std::int64_t>{1, 1, 1}));
  EXPECT_EQ(examined("{find: 'c', filter: {_id: 3, b: 7}}"), (std::vector<std::int64_t>{0, 1, 1}));
  EXPECT_EQ(examined("{find: 'c', hint: {$natural: 1}, filter: {a: 3}}"), (std::vector<std::int64_t>{1, 0, 10}));
}

TEST_F(Explain, NamesIndexesThatWereNotTaken) {
  reply("{createIndexes: 'c', indexes: [{key: {b: 1}, name: 'b_1'}]}");
  const bson::Document told = explain("{find: 'c', filter: {a: 3, b: {$lt: 2}}}", "allPlansExecution");
  EXPECT_EQ(at(told.view(), "queryPlanner.winningPlan.inputStage.indexName").as_string(), "a_1");
  EXPECT_EQ(at(told.view(), "queryPlanner.rejectedPlans.0.inputStage.indexName").as_string(), "b_1");
  EXPECT_EQ(at(told.view(), "queryPlanner.rejectedPlans").as_document().count(), 1u);
  const bson::View tried = at(told.view(), "executionStats.allPlansExecution").as_document();
  ASSERT_EQ(tried.count(), 2u);
  EXPECT_EQ(tried.at_path("0.executionStages.inputStage.indexName").as_string(), "a_1");
  EXPECT_EQ(tried.at_path("0.totalKeysExamined").exact_int64(), 1);
  EXPECT_EQ(tried.at_path("1.executionStages.inputStage.indexName").as_string(), "b_1");
  EXPECT_GT(tried.at_path("0.score").to_double(), tried.at_path("1.score").to_double());
}

/// Whether most rows are something else only the rows tell.
TEST_F(Explain, TriesWhatAFieldIsNotAgainstAWalkOverEverything) {
  reply("{drop: 'c'}");
  for (int i = 0; i < 300; ++i) {
    reply("{insert: 'c', documents: [{_id: " + std::to_string(i) + ", state: '" + (i % 100 == 7 ? "new" : "done") + "'}]}");
  }
  reply("{createIndexes: 'c', indexes: [{key: {state: 1}, name: 'state_1'}]}");
  const auto way = [&](const std::string& filter) {
    const bson::Document told = explain("{find: 'c', filter: " + filter + "}", "allPlansExecution");
    EXPECT_EQ(at(told.view(), "executionStats.allPlansExecution").as_document().count(), 2u);
    return stages(told.view());
  };
  EXPECT_EQ(way("{state: {$ne: 'done'}}"), "FETCH 3, IXSCAN 3");
  EXPECT_EQ(way("{state: {$nin: ['new', 'old']}}"), "COLLSCAN 297");
}

TEST_F(Explain, Counts) {
  const bson::Document told = explain("{count: 'c', query: {b: 1}, skip: 1}");
  EXPECT_EQ(stages(told.view()), "COUNT 0, COLLSCAN 3");
  EXPECT_EQ(at(told.view(), "executionStats.executionStages.nCounted").exact_int64(), 2);
  EXPECT_EQ(at(told.view(), "executionStats.executionStages.nSkipped").exact_int64(), 1);
  EXPECT_EQ(find_stages("{count: 'c'}"), "RECORD_STORE_FAST_COUNT");
}

TEST_F(Explain, Distinct) { EXPECT_EQ(find_stages("{distinct: 'c', key: 'a', query: {b: 1}}"), "PROJECTION_SIMPLE 3, COLLSCAN 3"); }

TEST_F(Explain, UpdatesTellWhatTheyWouldDoAndDoNothing) {
  const std::string before = documents();
  const auto told = [&](std::string_view update) {
    const bson::Document answer = explain(update);
    const bson::View stage = at(answer.view(), "executionStats.executionStages").as_document();
    return stages(answer.view()) + ": " + std::to_string(*stage["nMatched"].exact_int64()) + " " +
           std::to_string(*stage["nWouldModify"].exact_int64()) + " " + std::to_string(*stage["nWouldUpsert"].exact_int64());
  };
  EXPECT_EQ(told("{update: 'c', updates: [{q: {b: 1}, u: {$set: {b: 2}}, multi: true}]}"), "UPDATE 0, COLLSCAN 3: 3 3 0");
  EXPECT_EQ(told("{update: 'c', updates: [{q: {b: 1}, u: {$set: {b: 1}}}]}"), "UPDATE 0, COLLSCAN 1: 1 0 0");
  EXPECT_EQ(told("{update: 'c', updates: [{q: {_id: 77}, u: {$set: {b: 1}}, upsert: true}]}"), "UPDATE 0, IDHACK 0: 0 0 1");
  EXPECT_EQ(told("{findAndModify: 'c', query: {b: 1}, sort: {a: -1}, update: {$inc: {b: 1}}}"),
            "UPDATE 1, LIMIT 1, FETCH 1, IXSCAN 3: 1 1 0");
  EXPECT_EQ(documents(), before);
}

TEST_F(Explain, DeletesTellWhatTheyWouldDoAndDoNothing) {
  const std::string before = documents();
  const auto told = [&](std::string_view remove) {
    const bson::Document answer = explain(remove);
    return *at(answer.view(), "executionStats.executionStages.nWouldDelete").exact_int64();
  };
  EXPECT_EQ(told("{delete: 'c', deletes: [{q: {b: 1}, limit: 0}]}"), 3);
  EXPECT_EQ(told("{delete: 'c', deletes: [{q: {b: 1}, limit: 1}]}"), 1);
  EXPECT_EQ(told("{findAndModify: 'c', query: {a: {$gt: 3}}, remove: true}"), 1);
  EXPECT_EQ(documents(), before);
}

TEST_F(Explain, APipelineIsAListOfStages) {
  const bson::Document told = explain(
      "{aggregate: 'c', pipeline: [{$match: {a: {$gt: 3}}}, {$group: {_id: '$b', n: {$sum: 1}}}, {$sort: {n: 1}}, "
      "{$limit: 2}], cursor: {}}");
  EXPECT_EQ(stages(told.view(), "stages.0.$cursor.executionStats.executionStages"), "FETCH 6, IXSCAN 6");
  EXPECT_EQ(at(told.view(), "stages.0.$cursor.executionStats.totalKeysExamined").exact_int64(), 6);
  EXPECT_THAT(test::readable(at(told.view(), "stages.1").as_document()),
              AllOf(StartsWith("{$group: {_id: \"$b\", n: {$sum: 1}}, max"), EndsWith(", usedDisk: false, spills: 0, nReturned: 3}")));
  EXPECT_THAT(test::readable(at(told.view(), "stages.2").as_document()),
              AllOf(StartsWith("{$sort: {sortKey: {n: 1}, limit: 2}, total"), EndsWith(", usedDisk: false, spills: 0, nReturned: 2}")));
  EXPECT_EQ(test::readable(at(told.view(), "stages.3").as_document()), "{$limit: 2, nReturned: 2}");
}

TEST_F(Explain, APipelineThatOnlyMatchesIsAFind) {
  EXPECT_EQ(find_stages("{aggregate: 'c', pipeline: [{$match: {b: 1}}], cursor: {}}"), "COLLSCAN 3");
  EXPECT_EQ(find_stages("{aggregate: 'c', pipeline: []}"), "COLLSCAN 10");
}

TEST_F(Explain, APipelineOverNothingAndOverTheServer) {
  const bson::Document nothing = explain("{aggregate: 'nope', pipeline: [{$group: {_id: 1}}]}");
  EXPECT_EQ(at(nothing.view(), "stages.1.nReturned").exact_int64(), 0);
  const bson::Document counted = explain("{aggregate: 'c', pipeline: [{$collStats: {count: {}}}, {$limit: 5}]}");
  EXPECT_EQ(test::readable(counted["stages"].as_document()),
            "{\"0\": {$collStats: {count: {}}, nReturned: 1}, \"1\": {$limit: 5, nReturned: 1}}");
}

TEST_F(Explain, AggregateCanBeAskedToExplainItself) {
  const bson::Document told = reply("{aggregate: 'c', pipeline: [{$sort: {b: 1}}], explain: true}");
  EXPECT_EQ(stages(told.view(), "stages.0.$cursor.queryPlanner.winningPlan"), "COLLSCAN");
  EXPECT_EQ(test::readable(at(told.view(), "stages.1").as_document()), "{$sort: {sortKey: {b: 1}}}");
  EXPECT_TRUE(told["serverInfo"].is_document());
}

TEST_F(Explain, RefusesWhatCannotBeExplained) {
  EXPECT_EQ(code("{explain: {insert: 'c', documents: [{a: 1}]}}"), 20);
  EXPECT_EQ(code("{explain: {explain: {find: 'c'}}}"), 20);
  EXPECT_EQ(code("{explain: {noSuchCommand: 1}}"), 59);
  EXPECT_EQ(code("{explain: 1}"), 14);
  EXPECT_EQ(code("{explain: {find: 'c'}, verbosity: 'x'}"), 2);
  EXPECT_EQ(code("{explain: {find: 'c'}, verbosity: 1}"), 14);
  EXPECT_EQ(code("{explain: {find: 'c', x: 1}}"), 40415);
  EXPECT_EQ(code("{explain: {find: 'c', $db: 'other'}}"), 73);
  EXPECT_EQ(code("{explain: {update: 'c', updates: [{q: {}, u: {a: 1}}, {q: {}, u: {a: 1}}]}}"), 16);
  EXPECT_EQ(code("{explain: {find: 'version'}, $db: 'config'}"), 166);
}

}  // namespace
}  // namespace partita::commands
