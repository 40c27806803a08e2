// SPDX-License-Identifier: GPL-3.0-or-later
//
// system.profile: what is written about an operation, and that nobody waits for it. See profile.test for the commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::test {
namespace {

using commands::ProfileWriter;
using testing::HasSubstr;

class Profile : public testing::Test {
 protected:
  void SetUp() override {
    send("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}, {_id: 3, a: 2}]}");
    send("{createIndexes: 'c', indexes: [{key: {a: 1, b: -1}, name: 'ab'}]}");
  }
  void TearDown() override { server_.run("{profile: 0, slowms: 100, sampleRate: 1, filter: 'unset'}"); }

  bson::Document send(const std::string& command) {
    bson::Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  /// What system.profile keeps of all that was sent so far, each by these fields.
  std::vector<std::string> kept(const std::string& fields, const std::string& filter = "{'command.find': {$ne: 'system.profile'}}") {
    const bson::Document reply =
        send("{find: 'system.profile', filter: " + filter + ", projection: {_id: 0, " + fields + "}, batchSize: 100000}");
    std::vector<std::string> lines;
    for (const bson::Field& row : at(reply.view(), "cursor.firstBatch").as_document()) lines.push_back(readable(row.value.as_document()));
    return lines;
  }
  std::int64_t figure(const std::string& name) {
    return at(send("{serverStatus: 1}").view(), "profiler." + name).exact_int64().value_or(-1);
  }
  ProfileWriter& writer() { return server_.server().profiler.writer(); }

  InProcess server_;
};

TEST_F(Profile, TellsWhatWasAskedAndHowItWasDone) {
  send("{profile: 2}");
  send("{find: 'c', filter: {a: 2}, comment: 'why'}");
  const bson::Document reply = send("{find: 'system.profile', filter: {op: 'query'}, limit: 1}");
  const bson::View row = at(reply.view(), "cursor.firstBatch").as_document().begin()->value.as_document();
  std::string names;
  for (const bson::Field& field : row) names.append(field.name).append(" ");
  EXPECT_EQ(names, "_id op ns command cursorExhausted keysExamined docsExamined numYield nreturned queryHash planCacheKey locks responseLength protocol "
                   "millis planSummary execStats ts client allUsers user ");
  EXPECT_EQ(readable(row["command"].as_document()), "{find: \"c\", filter: {a: 2}, comment: \"why\", $db: \"test\"}");
  EXPECT_EQ(row["keysExamined"].exact_int64(), 2);
  EXPECT_EQ(row["docsExamined"].exact_int64(), 2);
  EXPECT_EQ(row["client"].as_string(), "127.0.0.1");
  EXPECT_TRUE(row["ts"].is(bson::Type::kDate));
}

TEST_F(Profile, TellsThePlanInMongoDBsWords) {
  send("{profile: 2}");
  for (const char* command :
       {"{find: 'c', filter: {a: 2}}", "{find: 'c', filter: {b: 2}}", "{find: 'c', filter: {_id: 2}}", "{find: 'c', filter: {_id: {$gt: 2}}}",
        "{count: 'c'}", "{count: 'c', query: {a: 2}}", "{distinct: 'c', key: 'a'}", "{find: 'c', filter: {$or: [{a: 1}, {_id: 9}]}}",
        "{aggregate: 'c', pipeline: [{$match: {a: 1}}], cursor: {}}", "{update: 'c', updates: [{q: {a: 1}, u: {$set: {x: 1}}}]}",
        "{update: 'c', updates: [{q: {x: 1}, u: {$set: {x: 1}}, multi: true}]}", "{delete: 'c', deletes: [{q: {_id: 3}, limit: 1}]}",
        "{findAndModify: 'c', query: {a: 1}, sort: {x: 1}, remove: true}"}) {
    send(command);
  }
  struct Told {
    const char* plan;
    int keys;
    int documents;
  };
  const std::vector<Told> expected{{"IXSCAN { a: 1, b: -1 }", 2, 2},
                                   {"COLLSCAN", 0, 3},
                                   {"IDHACK", 1, 1},
                                   {"CLUSTERED_IXSCAN", 1, 1},
                                   {"RECORD_STORE_FAST_COUNT", 0, 0},
                                   {"COUNT_SCAN { a: 1, b: -1 }", 2, 0},
                                   {"DISTINCT_SCAN { a: 1, b: -1 }", 3, 0},
                                   {"CLUSTERED_IXSCAN, IXSCAN { a: 1, b: -1 }", 1, 1},
                                   {"IXSCAN { a: 1, b: -1 }", 1, 1},
                                   {"IXSCAN { a: 1, b: -1 }", 1, 1},
                                   {"COLLSCAN", 0, 3},
                                   {"IDHACK", 1, 1},
                                   {"IXSCAN { a: 1, b: -1 }", 1, 1}};
  std::vector<std::string> lines;
  for (const Told& told : expected) {
    lines.push_back(detail::join("{keysExamined: ", told.keys, ", docsExamined: ", told.documents, ", planSummary: \"", told.plan, "\"}"));
  }
  EXPECT_EQ(kept("planSummary: 1, keysExamined: 1, docsExamined: 1"), lines);
}

TEST_F(Profile, TellsHowStagesOfThePlanWent) {
  send("{profile: 2}");
  for (const char* command :
       {"{find: 'c', filter: {a: 2, x: null}, sort: {b: -1}, limit: 1}", "{find: 'c', filter: {b: null}, sort: {x: 1}, skip: 1}",
        "{count: 'c', query: {a: 2}}", "{update: 'c', updates: [{q: {a: 2}, u: {$set: {y: 1}}, multi: true}]}",
        "{delete: 'c', deletes: [{q: {_id: 3}, limit: 1}]}"}) {
    send(command);
  }
  const bson::Document reply = send("{find: 'system.profile', filter: {execStats: {$exists: true}}, projection: {_id: 0, execStats: 1}}");
  std::vector<std::string> told;
  for (const bson::Field& row : at(reply.view(), "cursor.firstBatch").as_document()) {
    std::string line;
    for (bson::Value stage = row.value.as_document()["execStats"]; stage.is_document(); stage = stage.as_document()["inputStage"]) {
      const bson::View one = stage.as_document();
      line.append(one["stage"].as_string()).append(" ").append(one.has("nReturned") ? bson::to_shell(one["nReturned"]) : "?");
      for (const char* name : {"keysExamined", "docsExamined", "nCounted", "nMatched", "nWouldDelete"}) {
        if (one.has(name)) line.append(" ").append(name).append(" ").append(bson::to_shell(one[name]));
      }
      line += "; ";
    }
    told.push_back(line);
  }
  EXPECT_EQ(told, (std::vector<std::string>{
                      "LIMIT 1; FETCH 1 docsExamined 1; IXSCAN 1 keysExamined 1; ",
                      "SKIP 2; SORT 3; COLLSCAN ? docsExamined 3; ",
                      "COUNT 0 nCounted 2; COUNT_SCAN 2 keysExamined 2; ",
                      "UPDATE 0 nMatched 2; FETCH 2 docsExamined 2; IXSCAN 2 keysExamined 2; ",
                      "DELETE 0 nWouldDelete 1; IDHACK 1 keysExamined 1 docsExamined 1; "}));
}

TEST_F(Profile, TellsTheHashesOfACursorsQuery) {
  send("{profile: 2}");
  const bson::Document first = send("{find: 'c', filter: {a: {$gt: 0}}, batchSize: 1}");
  send("{getMore: {$numberLong: '" + std::to_string(at(first.view(), "cursor.id").exact_int64().value_or(0)) + "'}, collection: 'c'}");
  const std::vector<std::string> hashes = kept("queryHash: 1, planCacheKey: 1", "{ns: 'test.c'}");
  ASSERT_EQ(hashes.size(), 2U);
  EXPECT_EQ(hashes[0], hashes[1]);
  EXPECT_THAT(hashes[0], HasSubstr("queryHash"));
}

TEST_F(Profile, TellsStatementsOfABulkWriteUnderTheirNamespaces) {
  send("{profile: 2, $db: 'one'}");
  const char* bulk =
      "{bulkWrite: 1, ops: [{insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 2}}, {update: 1, filter: {_id: 1}, updateMods: {$set: {a: 1}}}, "
      "{update: 0, filter: {_id: 1}, updateMods: {$set: {a: 1}}}, {delete: 0, filter: {_id: 2}}], nsInfo: [{ns: 'one.c'}, {ns: 'two.c'}], $db: 'admin'}";
  send(bulk);
  const bson::Document reply = send("{find: 'system.profile', projection: {_id: 0, op: 1, ns: 1, ninserted: 1, nModified: 1, ndeleted: 1}, $db: 'one'}");
  EXPECT_EQ(readable(at(reply.view(), "cursor.firstBatch").as_document()),
            "{\"0\": {op: \"insert\", ns: \"one.c\", ninserted: 2}, \"1\": {op: \"update\", ns: \"one.c\", nModified: 1}, \"2\": {op: "
            "\"remove\", ns: \"one.c\", ndeleted: 1}}");
  send("{profile: 0, $db: 'one'}");
}

TEST_F(Profile, KeepsNothingOfADatabaseThatIsNotProfiled) {
  EXPECT_FALSE(server_.server().profiler.watches());
  send("{profile: 2, $db: 'other'}");
  EXPECT_TRUE(server_.server().profiler.watches());
  send("{find: 'c', filter: {a: 2}}");
  EXPECT_EQ(figure("totalWrites"), 0);
  send("{profile: 0, $db: 'other'}");
  EXPECT_FALSE(server_.server().profiler.watches());
}

TEST_F(Profile, NeverKeepsAnOperationWaiting) {
  send("{profile: 2}");
  {
    const ProfileWriter::Hold hold(writer());
    for (int i = 0; i < 3; ++i) send("{find: 'c', filter: {a: 2}}");
    EXPECT_TRUE(writer().pending());
    const bson::Document document = bson::parse_json("{op: 'filler'}").value();
    for (std::size_t i = 3; i < ProfileWriter::kMostWaiting; ++i) {
      writer().add(shards::Namespace("test", "system.profile"), document.copy());
    }
    EXPECT_EQ(figure("dropped"), 0);
    for (int i = 0; i < 5; ++i) send("{insert: 'c', documents: [{a: 7}]}");
    EXPECT_EQ(figure("dropped"), 5);
  }
  EXPECT_EQ(kept("op: 1", "{op: {$in: ['query', 'insert']}, ns: 'test.c'}").size(), 3U);
  EXPECT_EQ(server_.run("{count: 'c', query: {a: 7}}"), "{n: 5, ok: 1.0}");
}

TEST_F(Profile, BoundsTheBytesThatWait) {
  send("{profile: 2}");
  const ProfileWriter::Hold hold(writer());
  const std::string big(15 << 10, 'x');
  for (int i = 0; i < 1200; ++i) send("{count: 'c', comment: '" + big + "'}");
  EXPECT_GT(figure("dropped"), 0);
  EXPECT_LT(figure("waiting"), 1200);
}

TEST_F(Profile, HoldsTheLastMegabyte) {
  send("{profile: 2}");
  const std::string big(15 << 10, 'x');
  for (int i = 0; i < 100; ++i) send("{count: 'c', comment: '" + big + std::to_string(i) + "'}");
  const bson::Document stats = send("{collStats: 'system.profile'}");
  EXPECT_LE(stats["size"].exact_int64().value_or(INT64_MAX), 1 << 20);
  EXPECT_THAT(kept("'command.comment': 1", "{'command.count': 'c'}").back(), HasSubstr("x99"));
}

TEST_F(Profile, CutsLargeCommands) {
  send("{profile: 2}");
  send("{count: 'c', comment: '" + std::string(20 << 10, 'x') + "'}");
  EXPECT_THAT(kept("command: 1", "{op: 'command'}").front(), testing::MatchesRegex(".*count: \"c\", .truncated: 205...*"));
}

TEST_F(Profile, ForgetsADatabaseThatIsDropped) {
  send("{profile: 2}");
  {
    const ProfileWriter::Hold hold(writer());
    send("{count: 'c'}");
    send("{dropDatabase: 1}");
  }
  EXPECT_TRUE(writer().drain([] { return Status(); }).ok());
  EXPECT_EQ(figure("dropped"), 1);
  EXPECT_EQ(send("{profile: -1}")["was"].exact_int64(), 0);
  EXPECT_EQ(readable(at(send("{listCollections: 1}").view(), "cursor.firstBatch").as_document()), "{}");
}

TEST_F(Profile, EndsADrainWithItsClient) {
  send("{profile: 2}");
  const ProfileWriter::Hold hold(writer());
  send("{count: 'c'}");
  server_.client().peer().gone = true;
  EXPECT_EQ(server_.reply("{count: 'system.profile'}")["code"].exact_int64(), 279);
  server_.client().peer().gone = false;
}

TEST_F(Profile, LevelsEndWithTheServerAndWhatWasKeptStays) {
  send("{profile: 2}");
  send("{find: 'c', filter: {a: 2}, comment: 'before'}");
  EXPECT_EQ(kept("op: 1").size(), 1U);
  server_.crash();
  EXPECT_EQ(send("{profile: -1}")["was"].exact_int64(), 0);
  EXPECT_EQ(kept("op: 1", "{'command.comment': 'before'}").size(), 1U);
}

TEST_F(Profile, TakesALevelForAllDatabases) {
  server_.server().profiler.set_default_level(2);
  EXPECT_EQ(send("{profile: -1}")["was"].exact_int64(), 2);
  EXPECT_EQ(send("{profile: -1, $db: 'config'}")["was"].exact_int64(), 0);
  send("{find: 'c', filter: {a: 2}}");
  EXPECT_EQ(kept("op: 1, ns: 1"), std::vector<std::string>{"{op: \"query\", ns: \"test.c\"}"});
  send("{profile: 0}");
  send("{find: 'c', filter: {a: 2}}");
  EXPECT_EQ(kept("op: 1", "{ns: 'test.c'}").size(), 1U);
  EXPECT_EQ(send("{profile: -1, $db: 'other'}")["was"].exact_int64(), 2);
}

TEST_F(Profile, AFilterChoosesForTheLogToo) {
  send("{profile: 0, filter: {'command.comment': 'of the filter'}}");
  send("{count: 'c', comment: 'of the filter'}");
  send("{count: 'c', comment: 'not of it'}");
  send("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {z: 1}}}], comment: 'not of it either'}");
  send("{profile: 0, filter: {op: 'update', nModified: 1}}");
  send("{update: 'c', updates: [{q: {_id: 1}, u: {$set: {z: 2}}}], comment: 'an update of the filter'}");
  std::string lines;
  for (const std::string& line : log::recent().lines) lines += line + "\n";
  EXPECT_THAT(lines, HasSubstr("\"of the filter\""));
  EXPECT_THAT(lines, HasSubstr("an update of the filter"));
  EXPECT_THAT(lines, testing::Not(HasSubstr("not of it")));
}

}  // namespace
}  // namespace partita::test
