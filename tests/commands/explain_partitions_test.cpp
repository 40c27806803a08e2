// SPDX-License-Identifier: GPL-3.0-or-later
// What explain tells of queries over several partitions: it runs them as the command would, and says what each partition did.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"

namespace partita::commands {
namespace {

using test::at;
using ::testing::HasSubstr;

class ExplainPartitions : public ::testing::Test {
 protected:
  static constexpr int kDocuments = 2000;

  void SetUp() override {
    send("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: 4}");
    for (int first = 0; first < kDocuments; first += 1000) {
      std::string documents;
      for (int id = first; id < first + 1000; ++id) {
        documents += detail::join(id == first ? "" : ", ", "{_id: ", id, ", n: ", id % 10, ", m: ", id % 7, "}");
      }
      send("{insert: 'c', documents: [" + documents + "]}");
    }
    send("{createIndexes: 'c', indexes: [{key: {n: 1}, name: 'n'}]}");
  }
  bson::Document send(const std::string& command) {
    bson::Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << test::readable(reply.view());
    return reply;
  }
  bson::Document explain(const std::string& command, const std::string& verbosity = "executionStats") {
    return send("{explain: " + command + ", verbosity: '" + verbosity + "'}");
  }
  bson::Document explain_pipeline(const std::string& stages, const std::string& more = "") {
    return explain("{aggregate: 'c', pipeline: [" + stages + "], cursor: {}" + more + "}");
  }
  static std::string shown(bson::View document, std::string_view path) {
    const bson::Value value = at(document, path);
    if (value.is_array()) return elements(value.as_document());
    return value.is_document() ? test::readable(value.as_document()) : std::string();
  }
  static std::string elements(bson::View array) {
    std::string text;
    for (const bson::Field& one : array) {
      text += text.empty() ? "" : ", ";
      text += one.value.is_document() ? test::readable(one.value.as_document()) : std::to_string(*one.value.exact_int64());
    }
    return "[" + text + "]";
  }
  static std::int64_t number(bson::View document, std::string_view path) { return at(document, path).exact_int64().value_or(-1); }
  /// The sum of a field over what stands in a document or an array.
  static std::int64_t sum(bson::View all, std::string_view path) {
    std::int64_t sum = 0;
    for (const bson::Field& one : all) sum += number(one.value.as_document(), path);
    return sum;
  }
  static std::int64_t sum_each(bson::View told, std::string_view field) {
    return sum(at(told, "executionStats.partitions.each").as_document(), field);
  }

  test::InProcess server_;
};

TEST_F(ExplainPartitions, AddUpWhateverTheCommandAndTheDegree) {
  for (const char* command : {"{find: 'c', filter: {m: {$lt: 3}}", "{find: 'c', filter: {m: {$lt: 3}}, sort: {x: 1}",
                              "{count: 'c', query: {m: {$lt: 3}}", "{distinct: 'c', key: 'n', query: {m: {$lt: 3}}",
                              "{aggregate: 'c', pipeline: [{$match: {m: {$lt: 3}}}], cursor: {}",
                              "{aggregate: 'c', pipeline: [{$match: {m: {$lt: 3}}}, {$project: {n: 1}}], cursor: {}"}) {
    for (const char* degree : {"0", "2", "-1"}) {
      const bson::Document told = explain(std::string(command) + ", maxDegreeOfParallelism: " + degree + "}");
      SCOPED_TRACE(test::readable(told.view()));
      EXPECT_EQ(at(told, "executionStats.partitions.each").as_document().count(), 4U);
      EXPECT_EQ(sum_each(told, "docsExamined"), kDocuments);
      EXPECT_EQ(sum_each(told, "nReturned"), 858);
      EXPECT_EQ(number(told, "executionStats.totalDocsExamined"), kDocuments);
      for (const bson::Field& one : at(told, "executionStats.partitions.each").as_document()) {
        EXPECT_GT(one.value.as_document()["millis"].to_double().value_or(-1), 0);
      }
      const std::int64_t threads = number(told, "executionStats.partitions.threads");
      EXPECT_TRUE(threads >= 1 && threads <= (*degree == '0' ? 1 : 4)) << threads;
    }
  }
}

TEST_F(ExplainPartitions, TellKeysOfAWalkOverAnIndex) {
  for (const char* command : {"{count: 'c', query: {n: 3}}", "{distinct: 'c', key: 'm', query: {n: 3}}", "{find: 'c', filter: {n: 3}}",
                              "{aggregate: 'c', pipeline: [{$match: {n: 3}}, {$group: {_id: '$m'}}], cursor: {}}"}) {
    const bson::Document told = explain(command);
    EXPECT_EQ(sum_each(told, "keysExamined"), kDocuments / 10) << test::readable(told.view());
  }
}

TEST_F(ExplainPartitions, CountsAreCountedWhereTheDocumentsLie) {
  const bson::Document told = explain("{count: 'c', query: {m: 1}, skip: 10, limit: 50}");
  const bson::View merge = at(told, "executionStats.executionStages").as_document();
  EXPECT_EQ(merge["stage"].as_string(), "SHARD_MERGE");
  EXPECT_LE(number(told, "executionStats.totalDocsExamined"), kDocuments);
  EXPECT_EQ(number(told, "executionStats.nReturned"), 0) << "as mongod has it for what answers with a number";
}

TEST_F(ExplainPartitions, AGroupIsMadeOfPartsOfEachPartition) {
  const bson::Document told = explain_pipeline("{$match: {m: {$lt: 3}}}, {$group: {_id: '$n', s: {$sum: '$m'}}}, {$sort: {s: -1}}");
  SCOPED_TRACE(test::readable(told.view()));
  EXPECT_EQ(at(told, "mergeType").as_string(), "mongos");
  EXPECT_EQ(shown(told, "splitPipeline.shardsPart"), "[{$match: {m: {$lt: 3}}}, {$group: {_id: \"$n\", s: {$sum: \"$m\"}}}]");
  const std::string merger = shown(told, "splitPipeline.mergerPart");
  EXPECT_THAT(merger, HasSubstr("[{$mergeCursors: {nss: \"test.c\"}}, {$group: {_id: \"$n\", s: {$sum: \"$m\"}, $doingMerge: true}, max"));
  EXPECT_THAT(merger, HasSubstr("usedDisk: false, spills: 0, nReturned: 10}, {$sort: {sortKey: {s: -1}}, total"));
  EXPECT_THAT(merger, HasSubstr("usedDisk: false, spills: 0, nReturned: 10}]"));
  const bson::View shards = at(told, "shards").as_document();
  EXPECT_EQ(shards.count(), 4U);
  EXPECT_EQ(sum(shards, "stages.0.$cursor.executionStats.nReturned"), 858);
  EXPECT_EQ(sum(shards, "stages.0.nReturned"), 858);
  EXPECT_EQ(sum(shards, "stages.1.nReturned"), 40) << "ten groups of each";
  EXPECT_EQ(sum_each(told, "nReturned"), 40);
  EXPECT_EQ(number(told, "executionStats.nReturned"), 10);
  for (const bson::Field& shard : shards) {
    EXPECT_THAT(std::string(shard.name), HasSubstr("partition"));
    const bson::View one = shard.value.as_document();
    EXPECT_TRUE(one["host"].is_string());
    EXPECT_EQ(at(one, "stages.0.$cursor.queryPlanner.winningPlan.stage").as_string(), "COLLSCAN");
    EXPECT_EQ(at(one, "stages.0.$cursor.executionStats.executionStages.stage").as_string(), "COLLSCAN");
    EXPECT_EQ(shown(one, "stages.1.$group"), "{_id: \"$n\", s: {$sum: \"$m\"}}");
  }
}

TEST_F(ExplainPartitions, ASortedTopIsFoundInEachPartition) {
  const bson::Document told = explain_pipeline("{$sort: {m: -1}}, {$skip: 2}, {$limit: 5}");
  EXPECT_EQ(shown(told, "splitPipeline.shardsPart"), "[{$sort: {sortKey: {m: -1}, limit: 7}}, {$limit: 7}]");
  EXPECT_EQ(shown(told, "splitPipeline.mergerPart"),
            "[{$mergeCursors: {nss: \"test.c\"}}, {$skip: 2, nReturned: 5}, {$limit: 5, nReturned: 5}]");
  EXPECT_EQ(sum(at(told, "shards").as_document(), "stages.1.nReturned"), 28) << test::readable(told.view());
}

TEST_F(ExplainPartitions, ALimitEndsTheWalks) {
  const bson::Document told = explain_pipeline("{$match: {m: {$gte: 0}}}, {$limit: 3}", ", maxDegreeOfParallelism: 0");
  EXPECT_LT(number(told, "executionStats.totalDocsExamined"), 200) << test::readable(told.view());
  EXPECT_EQ(number(told, "executionStats.nReturned"), 3);
}

TEST_F(ExplainPartitions, AMatchAloneHasNoStages) {
  const bson::Document told = explain_pipeline("{$match: {m: 1}}");
  EXPECT_EQ(shown(told, "splitPipeline.shardsPart"), "[{$match: {m: 1}}]");
  for (const bson::Field& shard : at(told, "shards").as_document()) {
    EXPECT_EQ(at(shard.value.as_document(), "queryPlanner.winningPlan.stage").as_string(), "COLLSCAN");
    EXPECT_GT(number(shard.value.as_document(), "executionStats.nReturned"), 0);
  }
}

TEST_F(ExplainPartitions, OnePartitionRunsAllOfIt) {
  const bson::Document told = explain_pipeline("{$match: {_id: 7}}, {$project: {n: 1}}, {$group: {_id: '$n'}}");
  EXPECT_TRUE(told["splitPipeline"].is_null());
  EXPECT_FALSE(told.view().has("mergeType"));
  const bson::View shards = at(told, "shards").as_document();
  ASSERT_EQ(shards.count(), 1U);
  EXPECT_EQ(number(shards.begin()->value.as_document(), "stages.2.nReturned"), 1) << test::readable(told.view());
  EXPECT_EQ(shown(told, "partitions.targeted").find(','), std::string::npos);
  EXPECT_EQ(at(told, "partitions.by").as_string(), "equality");
}

TEST_F(ExplainPartitions, AnExpressionLeadsToThePartition) {
  const bson::Document told = explain("{find: 'c', filter: {$expr: {$and: [{$eq: [7, '$_id']}, {$lt: ['$n', '$m']}]}}}");
  EXPECT_EQ(number(told, "executionStats.totalDocsExamined"), 1) << test::readable(told.view());
  EXPECT_EQ(shown(told, "queryPlanner.partitions.targeted").find(','), std::string::npos) << test::readable(told.view());
  EXPECT_EQ(at(told, "queryPlanner.partitions.by").as_string(), "equality");
}

TEST_F(ExplainPartitions, ThePlanAloneRunsNothing) {
  const bson::Document told = explain("{aggregate: 'c', pipeline: [{$group: {_id: '$n'}}], cursor: {}}", "queryPlanner");
  EXPECT_FALSE(told.view().has("executionStats"));
  EXPECT_EQ(test::readable(told.view()).find("nReturned"), std::string::npos) << test::readable(told.view());
  EXPECT_EQ(at(told, "shards").as_document().count(), 4U);
  EXPECT_EQ(number(told, "partitions.of"), 4);
}

}  // namespace
}  // namespace partita::commands
