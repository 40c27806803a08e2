// SPDX-License-Identifier: GPL-3.0-or-later
// Stages that begin a pipeline with what the server knows, $sample, and the views in `config`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;

class SourceStages : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(run("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}"), "{n: 3, ok: 1.0}");
  }
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }
  std::optional<std::int64_t> code(std::string_view command) { return reply(command)["code"].exact_int64(); }

  /// The first batch of a pipeline over `collection`; on failure the reply as a whole.
  bson::Document rows(std::string_view pipeline, std::string_view collection = "'c'", std::string_view db = "test") {
    const bson::Document answer = reply("{aggregate: " + std::string(collection) + ", pipeline: " + std::string(pipeline) +
                                        ", cursor: {}, $db: '" + std::string(db) + "'}");
    EXPECT_TRUE(answer["cursor"].is_document()) << test::readable(answer.view());
    return bson::Document(answer.view().at_path("cursor.firstBatch").as_document());
  }
  std::optional<std::int64_t> pipeline_code(std::string_view pipeline, std::string_view collection = "'c'") {
    return code("{aggregate: " + std::string(collection) + ", pipeline: " + std::string(pipeline) + ", cursor: {}}");
  }

  test::InProcess server_;
};

TEST_F(SourceStages, CollStatsSaysWhatItIsAskedFor) {
  const bson::Document plain = rows("[{$collStats: {}}]");
  const bson::View row = plain["0"].as_document();
  EXPECT_EQ(row["ns"].as_string(), "test.c");
  EXPECT_TRUE(row["localTime"].is(bson::Type::kDate));
  EXPECT_FALSE(row.has("count"));
  EXPECT_FALSE(row.has("storageStats"));
  EXPECT_EQ(test::readable(rows("[{$collStats: {count: {}}}, {$project: {count: 1}}]").view()), "{\"0\": {count: 3}}");
  const bson::Document storage = rows("[{$collStats: {storageStats: {scale: 7}}}]");
  EXPECT_EQ(storage.view().at_path("0.storageStats.size").exact_int64(), 3 * 14 / 7);
  EXPECT_EQ(storage.view().at_path("0.storageStats.count").type(), bson::Type::kInt32);
}

TEST_F(SourceStages, CollStatsKnowsHowLongOperationsTook) {
  const bson::Document latency = rows("[{$collStats: {latencyStats: {}}}]");
  const bson::View row = latency["0"].as_document()["latencyStats"].as_document();
  EXPECT_EQ(row.at_path("writes.ops").as_int64(), 1);
  EXPECT_EQ(row.at_path("reads.ops").as_int64(), 0);
  EXPECT_GE(row.at_path("writes.latency").as_int64(), 0);
}

TEST_F(SourceStages, CollStatsTellsHowOftenOperationsTookSoLong) {
  const bson::Document latency = rows("[{$collStats: {latencyStats: {histograms: true}}}]");
  const bson::View row = latency["0"].as_document()["latencyStats"].as_document();
  const bson::View writes = row.at_path("writes.histogram").as_document();
  ASSERT_EQ(writes.count(), 1);
  EXPECT_EQ(writes.begin()->value.as_document()["count"].as_int64(), 1);
  EXPECT_LE(writes.begin()->value.as_document()["micros"].as_int64(), row.at_path("writes.latency").as_int64());
  EXPECT_EQ(row.at_path("transactions.histogram").as_document().count(), 0);
  EXPECT_FALSE(rows("[{$collStats: {latencyStats: {}}}]").view().at_path("0.latencyStats.writes").as_document().has("histogram"));
}

TEST_F(SourceStages, CollStatsLatenciesAreInStretchesOfMongoDB) {
  using commands::NamespaceTimes;
  EXPECT_TRUE(std::ranges::is_sorted(NamespaceTimes::kBegins));
  const std::array<std::int64_t, 6> middle{1024, 2048, 3072, 4096, 6144, 8192};
  EXPECT_TRUE(std::ranges::equal(std::span(NamespaceTimes::kBegins).subspan(10, 6), middle));
  EXPECT_EQ(NamespaceTimes::kBegins.back(), std::int64_t{1} << 40);
}

TEST_F(SourceStages, CollStatsRefusesWhatItDoesNotKnow) {
  EXPECT_EQ(pipeline_code("[{$collStats: 1}]"), 5447000);
  EXPECT_EQ(pipeline_code("[{$collStats: {x: 1}}]"), 40415);
  EXPECT_EQ(pipeline_code("[{$collStats: {count: 1}}]"), 14);
  EXPECT_EQ(pipeline_code("[{$collStats: {count: {a: 1}}}]"), 31170);
  EXPECT_EQ(pipeline_code("[{$collStats: {storageStats: {scale: 0}}}]"), 51024);
  EXPECT_EQ(pipeline_code("[{$collStats: {latencyStats: {histograms: 1}}}]"), 14);
  EXPECT_EQ(pipeline_code("[{$collStats: {queryExecStats: {}}}]"), 238);
  EXPECT_EQ(pipeline_code("[{$collStats: {count: {}}}]", "'nope'"), 26);
  EXPECT_EQ(pipeline_code("[{$match: {}}, {$collStats: {}}]"), 40602);
}

TEST_F(SourceStages, CurrentOpShowsTheQuestionItself) {
  const bson::Document running = rows("[{$currentOp: {}}, {$match: {active: true}}]", "1", "admin");
  const bson::View row = running["0"].as_document();
  EXPECT_EQ(row["ns"].as_string(), "admin.$cmd");
  EXPECT_EQ(row["command"].as_document()["aggregate"].exact_int64(), 1);
}

TEST_F(SourceStages, CurrentOpShowsIdleConnectionsWhenAsked) {
  test::Client idle(server_.server());
  const auto connections = [&](std::string_view options) {
    return rows("[{$currentOp: " + std::string(options) + "}]", "1", "admin").view().count();
  };
  EXPECT_EQ(connections("{}"), 1u);
  EXPECT_EQ(connections("{allUsers: true, idleConnections: true}"), 2u);
}

TEST_F(SourceStages, CurrentOpShowsIdleCursorsWhenAsked) {
  const std::int64_t id = *reply("{find: 'c', filter: {_id: {$gt: 0}}, batchSize: 1, noCursorTimeout: true, comment: 'x'}").view().at_path("cursor.id").exact_int64();
  const std::string number = "{$numberLong: '" + std::to_string(id) + "'}";
  reply("{getMore: " + number + ", collection: 'c', batchSize: 1}");
  EXPECT_TRUE(rows("[{$currentOp: {}}, {$match: {type: 'idleCursor'}}]", "1", "admin").view().empty());
  const bson::Document shown = rows("[{$currentOp: {idleCursors: true}}, {$match: {type: 'idleCursor'}}]", "1", "admin");
  ASSERT_EQ(shown.view().count(), 1u);
  const bson::View row = shown["0"].as_document();
  EXPECT_EQ(row["ns"].as_string(), "test.c");
  EXPECT_EQ(row["planSummary"].as_string(), "CLUSTERED_IXSCAN");
  EXPECT_TRUE(row["lsid"].missing());
  const bson::View cursor = row["cursor"].as_document();
  EXPECT_EQ(cursor["cursorId"].as_int64(), id);
  EXPECT_EQ(cursor["nDocsReturned"].as_int64(), 2);
  EXPECT_EQ(cursor["nBatchesReturned"].as_int64(), 2);
  EXPECT_TRUE(cursor["noCursorTimeout"].as_bool());
  EXPECT_FALSE(cursor["tailable"].as_bool());
  EXPECT_FALSE(cursor["awaitData"].as_bool());
  EXPECT_LE(cursor["createdDate"].as_date().ms_since_epoch, cursor["lastAccessDate"].as_date().ms_since_epoch);
  EXPECT_EQ(cursor.at_path("originatingCommand.comment").as_string(), "x");
  const bson::Document status = reply("{serverStatus: 1}");
  EXPECT_EQ(status.view().at_path("metrics.cursor.open.noTimeout").exact_int64(), 1);
  EXPECT_EQ(status.view().at_path("metrics.cursor.open.pinned").exact_int64(), 0);
  EXPECT_EQ(status.view().at_path("metrics.cursor.open.total").exact_int64(), 1);
  EXPECT_EQ(status.view().at_path("metrics.cursor.totalOpened").exact_int64(), 1);
  run("{killCursors: 'c', cursors: [" + number + "]}");
  EXPECT_TRUE(rows("[{$currentOp: {idleCursors: true}}, {$match: {type: 'idleCursor'}}]", "1", "admin").view().empty());
}

TEST_F(SourceStages, CurrentOpTellsTailableCursorsApart) {
  run("{create: 'capped', capped: true, size: 10000}");
  run("{insert: 'capped', documents: [{_id: 1}]}");
  run("{find: 'capped', tailable: true, awaitData: true, lsid: {id: {$uuid: '00000000-0000-0000-0000-000000000001'}}}");
  const bson::Document shown = rows("[{$currentOp: {idleCursors: true}}, {$match: {type: 'idleCursor'}}]", "1", "admin");
  ASSERT_EQ(shown.view().count(), 1u);
  EXPECT_TRUE(shown.view().at_path("0.cursor.tailable").as_bool());
  EXPECT_TRUE(shown.view().at_path("0.cursor.awaitData").as_bool());
  EXPECT_TRUE(shown.view().at_path("0.lsid.id").is(bson::Type::kBinary));
}

TEST_F(SourceStages, CurrentOpRefusesWhatItDoesNotKnow) {
  const auto refusal = [&](std::string_view options) {
    return code("{aggregate: 1, pipeline: [{$currentOp: " + std::string(options) + "}], cursor: {}, $db: 'admin'}");
  };
  EXPECT_EQ(refusal("1"), 14);
  EXPECT_EQ(refusal("{x: true}"), 9);
  EXPECT_EQ(refusal("{allUsers: 1}"), 14);
  EXPECT_EQ(pipeline_code("[{$currentOp: {}}]"), 73);
  EXPECT_EQ(code("{aggregate: 'c', pipeline: [{$currentOp: {}}], cursor: {}, $db: 'admin'}"), 73);
}

TEST_F(SourceStages, SampleGivesEveryDocumentTheSameChance) {
  constexpr int kDocuments = 10;
  constexpr int kRounds = 400;
  std::string documents;
  for (int i = 0; i < kDocuments; ++i) documents += "{_id: " + std::to_string(i) + "},";
  documents.pop_back();
  run("{insert: 's', documents: [" + documents + "]}");
  std::array<int, kDocuments> chosen{};
  for (int round = 0; round < kRounds; ++round) {
    const bson::Document sample = rows("[{$sample: {size: 3}}]", "'s'");
    ASSERT_EQ(sample.view().count(), 3u);
    std::set<std::int64_t> ids;
    for (const bson::Field& row : sample.view()) ids.insert(*row.value.as_document()["_id"].exact_int64());
    ASSERT_EQ(ids.size(), 3u) << "no document twice";
    for (const std::int64_t id : ids) ++chosen[static_cast<std::size_t>(id)];
  }
  // 120 expected of each; the standard deviation is 9.2, so that one run in ten million fails by chance.
  for (int i = 0; i < kDocuments; ++i) EXPECT_NEAR(chosen[i], 120, 55) << "_id " << i;
}

TEST_F(SourceStages, ConfigViewsAreReadLikeCollections) {
  EXPECT_EQ(reply("{count: 'version', $db: 'config'}")["n"].as_int32(), 1);
  EXPECT_EQ(reply("{count: 'version', query: {_id: 2}, $db: 'config'}")["n"].as_int32(), 0);
  EXPECT_EQ(run("{find: 'databases', filter: {_id: 'test'}, projection: {_id: 1}, $db: 'config'}"),
            R"({cursor: {firstBatch: [{_id: "test"}], id: 0, ns: "config.databases"}, ok: 1.0})");
  EXPECT_EQ(test::readable(rows("[{$project: {_id: 1}}]", "'databases'", "config").view()), R"({"0": {_id: "test"}})");
  EXPECT_EQ(run("{distinct: 'shards', key: 'state', $db: 'config'}"), "{values: [1], ok: 1.0}");
}

TEST_F(SourceStages, FindInAViewSortsSkipsAndLimits) {
  run("{insert: 'c', documents: [{_id: 1}], $db: 'a'}");
  run("{insert: 'c', documents: [{_id: 1}], $db: 'b'}");
  EXPECT_EQ(run("{find: 'databases', sort: {_id: -1}, skip: 1, limit: 1, projection: {_id: 1}, $db: 'config'}"),
            R"({cursor: {firstBatch: [{_id: "b"}], id: 0, ns: "config.databases"}, ok: 1.0})");
  const bson::Document first = reply("{find: 'databases', batchSize: 2, $db: 'config'}");
  EXPECT_NE(first.view().at_path("cursor.id").as_int64(), 0);
}

}  // namespace
}  // namespace partita::commands
