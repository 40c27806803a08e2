// SPDX-License-Identifier: GPL-3.0-or-later
// What any command may carry. Most of it is in refusals.txt, which a mongod is asked too; what is here would meet the
// session that a driver adds to every command.
#include "commands/generic_arguments.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "tests/support/refusals.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;

constexpr const char* kSession = R"(lsid: {id: UUID("00000000-0000-0000-0000-000000000001")})";

std::optional<std::int64_t> code_of(test::InProcess& server, const std::string& command) {
  return server.reply(command)["code"].exact_int64();
}

TEST(GenericArguments, SayWhatTheyDo) {
  for (const GenericArgument& row : generic_arguments()) {
    EXPECT_FALSE(row.effect.empty()) << row.name;
    EXPECT_EQ(row.effect.back(), '.') << row.name << ": a sentence";
  }
}

/// As MongoDB's commands of old do; those that it has read more strictly refuse the field.
TEST(GenericArguments, HelpIsAnAnswerOfItsOwn) {
  test::InProcess server;
  EXPECT_EQ(server.run("{find: 'c', filter: {a: 1}, help: true}"),
            "{help: \"help for: find Answers with the documents of a collection that match a filter.\", ok: 1.0}");
  EXPECT_EQ(code_of(server, "{find: 'c', help: false}"), 40415);
  EXPECT_EQ(code_of(server, "{insert: 'c', documents: [{_id: 1}], help: true}"), 40415);
  EXPECT_EQ(server.run("{count: 'c'}"), "{n: 0, ok: 1.0}");
}

/// Whoever adds one says there how it can be written wrongly.
TEST(GenericArguments, AreEachRefusedWhenTheyAreWrittenWrongly) {
  const auto refusals = test::read_refusals();
  for (const GenericArgument& row : generic_arguments()) {
    const auto here = {"$db", "lsid", "txnNumber", "$clusterTime", "comment"};
    if (std::ranges::find(here, row.name) != here.end()) continue;
    const bool refused = std::ranges::any_of(refusals, [&](const test::Refusal& refusal) {
      return refusal.command.find(std::string(row.name) + ":") != std::string::npos;
    });
    EXPECT_TRUE(refused) << row.name << " has no line in refusals.txt";
  }
}

TEST(GenericArguments, OfOtherServersAreUnknown) {
  test::InProcess server;
  for (const char* name : {"shardVersion", "databaseVersion", "$client", "$audit", "$configServerState", "coordinator",
                           "maxTimeMSOpOnly", "mayBypassWriteBlocking", "rawData"}) {
    EXPECT_EQ(code_of(server, "{find: 'c', " + std::string(name) + ": 1}"), 40415) << name;
  }
}

TEST(GenericArguments, NameASession) {
  test::InProcess server;
  const std::string id = R"(id: UUID("00000000-0000-0000-0000-000000000001"))";
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {" + id + "}}"), std::nullopt);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: 5}"), 14);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {}}"), 40414);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {id: 5}}"), 14);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {" + id + ", x: 1}}"), 40415);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {" + id + R"(, txnUUID: UUID("00000000-0000-0000-0000-000000000001")}})"), 72);
  EXPECT_EQ(code_of(server, "{find: 'c', lsid: {" + id + ", txnNumber: NumberLong(1)}}"), 72);
}

TEST(GenericArguments, NumberARetryableWriteInItsSession) {
  test::InProcess server;
  const std::string session = kSession;
  EXPECT_EQ(code_of(server, "{insert: 'c', documents: [{_id: 1}], txnNumber: NumberLong(1)}"), 72);
  EXPECT_EQ(code_of(server, "{insert: 'c', documents: [{_id: 1}], " + session + ", txnNumber: 1}"), 14);
  EXPECT_EQ(code_of(server, "{ping: 1, " + session + ", txnNumber: NumberLong(1)}"), 50889);
  for (const char* command : {"find: 'c'", "aggregate: 'c', pipeline: [], cursor: {}", "count: 'c'", "distinct: 'c', key: 'a'",
                              "create: 'd'", "getMore: NumberLong(1), collection: 'c'"}) {
    EXPECT_EQ(code_of(server, "{" + std::string(command) + ", " + session + ", txnNumber: NumberLong(1)}"), 50768) << command;
  }
  EXPECT_EQ(server.run("{count: 'c'}"), "{n: 0, ok: 1.0}");
}

/// As a member of a replica set has it; one that stands alone does not look.
TEST(GenericArguments, TellTheTimeOfTheCluster) {
  test::InProcess server;
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: 5}"), 10065);
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: {}}"), 4);
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: {clusterTime: 5}}"), 14);
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: {clusterTime: Timestamp(1, 1)}}"), 4);
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: {clusterTime: Timestamp(1, 1), signature: 5}}"), 14);
  EXPECT_EQ(code_of(server, "{find: 'c', $clusterTime: {clusterTime: Timestamp(1, 1), signature: {}}}"), std::nullopt);
}

/// No label may make a driver believe that beginning anew would help.
TEST(GenericArguments, BeginNoTransaction) {
  test::InProcess server;
  const bson::Document reply = server.reply("{insert: 'c', documents: [{_id: 1}], " + std::string(kSession) +
                                            ", txnNumber: NumberLong(1), startTransaction: true, autocommit: false}");
  EXPECT_EQ(reply["code"].exact_int64(), 263);
  EXPECT_TRUE(reply["errorLabels"].missing());
  EXPECT_THAT(reply["errmsg"].as_string(), HasSubstr("not supported"));
  EXPECT_EQ(server.run("{count: 'c'}"), "{n: 0, ok: 1.0}");
}

TEST(GenericArguments, TellWhichSessionACursorBelongsTo) {
  test::InProcess server;
  ASSERT_EQ(server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}"), "{n: 2, ok: 1.0}");
  const auto open = [&](const std::string& more) {
    const bson::Document reply = server.reply("{find: 'c', batchSize: 1" + more + "}");
    return "{getMore: NumberLong(\"" + std::to_string(reply.view().at_path("cursor.id").as_int64()) + "\"), collection: 'c'";
  };
  const std::string session = std::string(", ") + kSession;
  EXPECT_EQ(code_of(server, open("") + session + "}"), 50736);
  EXPECT_EQ(code_of(server, open(session) + "}"), 50737);
  EXPECT_EQ(code_of(server, open(session) + session + "}"), std::nullopt);
  EXPECT_EQ(code_of(server, open("") + "}"), std::nullopt);
}

}  // namespace
}  // namespace partita::commands
