// SPDX-License-Identifier: GPL-3.0-or-later
//
// What explain tells of the work of single stages: of branches, sorts, groups, and of the rings around a point.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"

namespace partita::test {
namespace {

class ExplainFigures : public testing::Test {
 protected:
  /// 300 documents {_id: i, a: i % 7, b: i % 11, p: [i, 0], q: a point on the equator}.
  void SetUp() override {
    std::string documents;
    for (int i = 0; i < 300; ++i) {
      documents += detail::join(i == 0 ? "" : ", ", "{_id: ", i, ", a: ", i % 7, ", b: ", i % 11, ", p: [", i % 100, ", 0], q: {type: 'Point', coordinates: [", i % 100, ", 0]}}");
    }
    send("{insert: 'c', documents: [" + documents + "]}");
    send("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'ab'}, {key: {b: 1}, name: 'b'}, {key: {p: '2d'}, name: 'p'}, "
         "{key: {q: '2dsphere'}, name: 'q'}]}");
  }
  bson::Document send(const std::string& command) {
    bson::Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  bson::Document explain(const std::string& command) { return send("{explain: " + command + ", verbosity: 'executionStats'}"); }
  static std::int64_t number(bson::View stage, std::string_view name) { return stage[name].exact_int64().value_or(-1); }
  /// The stage of that name, wherever it lies along inputStage.
  static bson::View stage(bson::View reply, std::string_view name, std::string_view root = "executionStats.executionStages") {
    bson::Value at_hand = at(reply, root);
    while (at_hand.is_document() && at_hand.as_document()["stage"].as_string() != name) at_hand = at_hand.as_document()["inputStage"];
    EXPECT_TRUE(at_hand.is_document()) << name << ": " << readable(reply);
    return at_hand.is_document() ? at_hand.as_document() : bson::View();
  }
  /// "ab 43/43, b 28/28": of each branch, the rows it has shown and the keys it has looked at.
  std::string branches(const std::string& command, std::string_view name) {
    const bson::Document reply = explain(command);
    std::string text;
    for (const bson::Field& branch : stage(reply, name)["inputStages"].as_document()) {
      const bson::View inside = branch.value.as_document();
      text += detail::join(text.empty() ? "" : ", ", inside["indexName"].is_string() ? inside["indexName"].as_string() : inside["stage"].as_string(), " ",
                           number(inside, "nReturned"), "/", number(inside, "keysExamined"));
      EXPECT_GE(number(inside, "executionTimeMillisEstimate"), 0);
    }
    return text;
  }

  InProcess server_;
};

TEST_F(ExplainFigures, OfTheBranchesOfAnOr) {
  EXPECT_EQ(branches("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}}", "OR"), "ab 43/43, b 28/28");
  EXPECT_EQ(branches("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}, limit: 3}", "OR"), "ab 3/3, b 0/0");
  EXPECT_EQ(branches("{find: 'c', filter: {$or: [{_id: {$lt: 5}}, {b: 2}]}}", "OR"), "_id_ 5/5, b 28/28");
  EXPECT_EQ(branches("{aggregate: 'c', pipeline: [{$match: {$or: [{a: 1}, {b: 2}]}}], cursor: {}}", "OR"), "ab 43/43, b 28/28");
  const bson::Document reply = explain("{find: 'c', filter: {$or: [{a: 1}, {b: 2}]}}");
  EXPECT_EQ(number(stage(reply, "OR"), "dupsTested"), 71);
  EXPECT_EQ(number(stage(reply, "OR"), "dupsDropped"), 4);
}

// These are one walk here, whose ranges are told apart.
TEST_F(ExplainFigures, OfBranchesThatShareAnIndex) {
  EXPECT_EQ(branches("{find: 'c', filter: {$or: [{a: 1, b: {$gt: 5}}, {a: 3}]}}", "OR"), "ab 20/20, ab 43/43");
  EXPECT_EQ(branches("{find: 'c', filter: {$or: [{a: 3}, {a: 1, b: {$gt: 5}}]}}", "OR"), "ab 43/43, ab 20/20");
}

TEST_F(ExplainFigures, OfWalksInTurns) {
  EXPECT_EQ(branches("{find: 'c', filter: {a: {$in: [1, 5]}}, sort: {b: 1}, limit: 3}", "SORT_MERGE"), "ab 3/3, ab 1/1");
}

TEST_F(ExplainFigures, OfASort) {
  const bson::Document reply = explain("{find: 'c', sort: {b: -1, a: 1}}");
  const bson::View sort = stage(reply, "SORT");
  EXPECT_EQ(number(sort, "memLimit"), 100 << 20);
  EXPECT_GT(number(sort, "totalDataSizeSorted"), 300 * 50);
  EXPECT_FALSE(sort["usedDisk"].as_bool());
  EXPECT_EQ(number(sort, "spills"), 0);
  const bson::Document first = explain("{find: 'c', sort: {b: -1, a: 1}, limit: 2}");
  EXPECT_LT(number(stage(first, "SORT"), "totalDataSizeSorted"), 2 * 200);
  EXPECT_TRUE(stage(send("{explain: {find: 'c', sort: {b: -1, a: 1}}, verbosity: 'queryPlanner'}"), "SORT", "queryPlanner.winningPlan")["usedDisk"].missing());
}

TEST_F(ExplainFigures, OfWhatGoesToDisk) {
  send("{setParameter: 1, internalQueryMaxBlockingSortMemoryUsageBytes: 20000}");
  const bson::Document reply = explain("{find: 'c', sort: {b: -1, a: 1}}");
  const bson::View sort = stage(reply, "SORT");
  EXPECT_EQ(number(sort, "memLimit"), 20000);
  EXPECT_TRUE(sort["usedDisk"].as_bool());
  EXPECT_GE(number(sort, "spills"), 1);
  EXPECT_GT(number(sort, "totalDataSizeSorted"), 300 * 50);
  EXPECT_EQ(server_.reply("{explain: {find: 'c', sort: {b: -1, a: 1}, allowDiskUse: false}}")["code"].exact_int64(), 292);
  const bson::Document piped = explain("{aggregate: 'c', pipeline: [{$unwind: '$p'}, {$sort: {b: 1}}, {$group: {_id: '$_id', all: {$push: '$$ROOT'}}}], cursor: {}}");
  const bson::View sorted = at(piped, "stages.2").as_document();
  EXPECT_TRUE(sorted["usedDisk"].as_bool()) << readable(sorted);
  EXPECT_GE(number(sorted, "spills"), 1);
  const bson::View grouped = at(piped, "stages.3").as_document();
  EXPECT_TRUE(grouped["usedDisk"].as_bool()) << readable(grouped);
  EXPECT_GE(number(grouped, "spills"), 1);
  send("{setParameter: 1, internalQueryMaxBlockingSortMemoryUsageBytes: 104857600}");
}

TEST_F(ExplainFigures, OfStagesThatGather) {
  const bson::Document reply = explain("{aggregate: 'c', pipeline: [{$unwind: '$p'}, {$sort: {b: 1}}, {$group: {_id: '$a', n: {$sum: 1}, all: {$push: '$b'}}}], cursor: {}}");
  const bson::View sort = at(reply, "stages.2").as_document();
  EXPECT_EQ(number(sort, "nReturned"), 600);
  EXPECT_GT(number(sort, "totalDataSizeSortedBytesEstimate"), 600 * 20);
  EXPECT_FALSE(sort["usedDisk"].as_bool());
  EXPECT_EQ(number(sort, "spills"), 0);
  const bson::View group = at(reply, "stages.3").as_document();
  EXPECT_EQ(number(group, "nReturned"), 7);
  EXPECT_FALSE(group["usedDisk"].as_bool());
  const bson::View most = group["maxAccumulatorMemoryUsageBytes"].as_document();
  EXPECT_GT(number(most, "n"), 0);
  EXPECT_GT(number(most, "all"), number(most, "n") + 600 * 4);
  EXPECT_GT(number(group, "totalOutputDataSizeBytes"), 600 * 4);
}

TEST_F(ExplainFigures, OfTheNearest) {
  const std::string find = "{find: 'c', filter: {a: 1, q: {$nearSphere: {$geometry: {type: 'Point', coordinates: [0, 0]}}}}, limit: 2}";
  const bson::Document plan = send("{explain: " + find + ", verbosity: 'queryPlanner'}");
  EXPECT_EQ(readable(at(plan, "queryPlanner.winningPlan").as_document()),
            "{stage: \"LIMIT\", limitAmount: 2, inputStage: {stage: \"FETCH\", filter: {a: {$eq: 1}}, inputStage: {stage: "
            "\"GEO_NEAR_2DSPHERE\", keyPattern: {q: \"2dsphere\"}, indexName: \"q\", indexVersion: 2}}}");
  const bson::Document reply = explain(find);
  const bson::View near = stage(reply, "GEO_NEAR_2DSPHERE");
  EXPECT_EQ(number(near, "nReturned"), 2);
  const bson::View rings = near["inputStages"].as_document();
  EXPECT_EQ(rings.count(), near["searchIntervals"].as_document().count());
  std::int64_t keys = 0;
  std::int64_t documents = 0;
  std::int64_t returned = 0;
  for (const bson::Field& ring : rings) {
    const bson::View fetch = ring.value.as_document();
    EXPECT_EQ(fetch["stage"].as_string(), "FETCH");
    const bson::View scan = fetch["inputStage"].as_document();
    EXPECT_EQ(scan["stage"].as_string(), "IXSCAN");
    EXPECT_FALSE(at(scan, "indexBounds.q").as_document().empty());
    keys += number(scan, "keysExamined");
    documents += number(fetch, "docsExamined");
  }
  double from = 0;
  for (const bson::Field& ring : near["searchIntervals"].as_document()) {
    const bson::View interval = ring.value.as_document();
    EXPECT_GE(interval["minDistance"].as_double(), from);
    from = interval["maxDistance"].as_double();
    returned += std::max<std::int64_t>(number(interval, "nReturned"), 0);
  }
  EXPECT_EQ(keys, at(reply, "executionStats.totalKeysExamined").exact_int64());
  EXPECT_EQ(documents, at(reply, "executionStats.totalDocsExamined").exact_int64());
  EXPECT_EQ(returned, 2);
  EXPECT_EQ(stage(explain("{find: 'c', filter: {p: {$near: [3, 0]}}, limit: 2}"), "GEO_NEAR_2D")["indexName"].as_string(), "p");
}

TEST_F(ExplainFigures, OfTheNearestInAPipeline) {
  const bson::Document reply = explain("{aggregate: 'c', pipeline: [{$geoNear: {near: [3, 0], key: 'p', distanceField: 'd'}}, {$limit: 3}], cursor: {}}");
  const bson::View first = at(reply, "stages.0.$geoNearCursor").as_document();
  EXPECT_EQ(at(first, "queryPlanner.winningPlan.stage").as_string(), "GEO_NEAR_2D");
  EXPECT_EQ(at(first, "executionStats.executionStages.stage").as_string(), "GEO_NEAR_2D");
  EXPECT_FALSE(at(first, "executionStats.executionStages.inputStages").as_document().empty());
}

TEST_F(ExplainFigures, OfPartitions) {
  send("{shardCollection: 'test.s', key: {k: 1}}");
  send("{createIndexes: 's', indexes: [{key: {a: 1}, name: 'a'}, {key: {b: 1}, name: 'b'}, {key: {p: '2d'}, name: 'p'}]}");
  std::string documents;
  for (int i = 0; i < 100; ++i) documents += detail::join(i == 0 ? "" : ", ", "{_id: ", i, ", k: ", i, ", a: ", i % 7, ", b: ", i % 11, ", p: [", i, ", 0]}");
  send("{insert: 's', documents: [" + documents + "]}");
  const std::string shard = "executionStats.executionStages.shards.0.executionStages";
  const bson::Document either = explain("{find: 's', filter: {$or: [{a: 1}, {b: 2}]}}");
  const bson::View branch = at(stage(either, "OR", shard), "inputStages.1").as_document();
  EXPECT_EQ(number(branch, "nReturned"), 9) << readable(either);
  const bson::Document near = explain("{find: 's', filter: {p: {$near: [3, 0]}}, limit: 2}");
  EXPECT_FALSE(stage(near, "GEO_NEAR_2D", shard)["inputStages"].as_document().empty());
  const bson::Document sorted = explain("{find: 's', sort: {a: 1, b: 1}}");
  EXPECT_GT(at(sorted, "executionStats.partitions.sort.totalDataSizeSorted").exact_int64(), 100 * 40);
}

}  // namespace
}  // namespace partita::test
