// SPDX-License-Identifier: GPL-3.0-or-later
// What clients ask to learn about the server: build, host, parameters, log, counters, what runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "commands/current_operations.h"
#include "commands/slow_log.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

using test::Client;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::int64_t number(bson::View document, std::string_view path) {
  return document.at_path(path).exact_int64().value_or(-1);
}

TEST(BuildInfo, SpeaksOfBothServers) {
  test::InProcess server;
  const bson::Document reply = server.reply("{buildInfo: 1}");
  EXPECT_THAT(reply["version"].as_string(), StartsWith("7.0."));
  EXPECT_EQ(reply["versionArray"].as_document().count(), 4u);
  EXPECT_EQ(reply["bits"].as_int32(), 64);
  EXPECT_EQ(reply["partita"].as_document()["version"].as_string(), PARTITA_VERSION);
  EXPECT_THAT(reply["partita"].as_document()["wiredTiger"].as_string(), HasSubstr("11.3.1"));
}

TEST(HostInfo, ReadsTheMachine) {
  test::InProcess server;
  const bson::Document reply = server.reply("{hostInfo: 1}");
  EXPECT_GT(number(reply, "system.memSizeMB"), 0);
  EXPECT_GT(number(reply, "system.numCores"), 0);
  EXPECT_EQ(reply.view().at_path("os.type").as_string(), "Linux");
  EXPECT_GT(number(reply, "extra.pageSize"), 0);
}

TEST(ConnectionStatus, HasNobodyLoggedIn) {
  test::InProcess server;
  EXPECT_EQ(server.run("{connectionStatus: 1, showPrivileges: true}"),
            "{authInfo: {authenticatedUsers: [], authenticatedUserRoles: [], authenticatedUserPrivileges: []}, ok: 1.0}");
}

TEST(WhatsMyUri, IsTheClientsAddress) {
  test::InProcess server;
  EXPECT_EQ(server.run("{whatsmyuri: 1}"), R"({you: "127.0.0.1:1", ok: 1.0})");
}

TEST(GetParameter, GivesOneOrAll) {
  test::InProcess server;
  EXPECT_EQ(server.run("{getParameter: 1, featureCompatibilityVersion: 1}"),
            R"({featureCompatibilityVersion: {version: "7.0"}, ok: 1.0})");
  EXPECT_EQ(server.run("{getParameter: {showDetails: true}, enableTestCommands: 1}"),
            "{enableTestCommands: {value: false, settableAtRuntime: false, settableAtStartup: true}, ok: 1.0}");
  const bson::Document all = server.reply("{getParameter: '*'}");
  EXPECT_TRUE(all["enableTestCommands"].is_bool());
  EXPECT_TRUE(all["authenticationMechanisms"].is_array());
  EXPECT_EQ(all["authSchemaVersion"].as_int32(), 5) << "mongorestore asks for it";
  EXPECT_GT(all.view().count(), 5u);
}

TEST(GetParameter, RefusesWhatItDoesNotKnow) {
  test::InProcess server;
  const std::string nothing =
      R"({ok: 0.0, errmsg: "no option found to get", code: 72, codeName: "InvalidOptions"})";
  EXPECT_EQ(server.run("{getParameter: 'foo'}"), nothing);
  EXPECT_EQ(server.run("{getParameter: 1}"), nothing);
  EXPECT_EQ(server.run("{getParameter: 1, noSuchParameter: 1}"), nothing);
  EXPECT_EQ(server.reply("{getParameter: {foo: 1}, quiet: 1}")["code"].exact_int64(), 40415);
}

TEST(SetParameter, AnswersWithWhatWas) {
  test::InProcess server;
  EXPECT_EQ(server.run("{setParameter: 1, slowOpThresholdMs: 5}"), "{was: 100, ok: 1.0}");
  EXPECT_EQ(server.run("{setParameter: 1, slowOpThresholdMs: 100}"), "{was: 5, ok: 1.0}");
}

TEST(SetParameter, ChangesNothingWhenOneNameIsWrong) {
  test::InProcess server;
  EXPECT_EQ(server.reply("{setParameter: 1, slowOpThresholdMs: 5, noSuchParameter: 1}")["code"].exact_int64(), 72);
  EXPECT_EQ(parameters::slow_op_threshold_ms.get(), 100);
  EXPECT_EQ(server.reply("{setParameter: 1, enableTestCommands: 1}")["code"].exact_int64(), 20);
  EXPECT_EQ(server.reply("{setParameter: 1}")["code"].exact_int64(), 72);
  EXPECT_EQ(server.reply("{setParameter: 1, slowOpThresholdMs: 'x'}")["code"].exact_int64(), 2);
}

TEST(GetCmdLineOpts, AlwaysHasTheSectionsThatClientsLookInto) {
  test::InProcess server;
  server.server().settings.argv = {"partitad", "--port", "1"};
  const bson::Document reply = server.reply("{getCmdLineOpts: 1}");
  EXPECT_EQ(test::readable(reply["argv"].as_document()), R"({"0": "partitad", "1": "--port", "2": "1"})");
  for (const char* section : {"net", "security", "setParameter"}) {
    EXPECT_TRUE(reply["parsed"].as_document()[section].is_document()) << section;
  }
}

TEST(GetLog, GivesTheLastLines) {
  test::InProcess server;
  EXPECT_EQ(server.run("{getLog: '*'}"), R"({names: ["global", "startupWarnings"], ok: 1.0})");
  log::startup_warning(log::Component::kControl, 1, "a warning of this test");
  const bson::Document reply = server.reply("{getLog: 'startupWarnings'}");
  EXPECT_GT(number(reply, "totalLinesWritten"), 0);
  EXPECT_THAT(test::readable(reply["log"].as_document()), HasSubstr("a warning of this test"));
  EXPECT_EQ(server.reply("{getLog: 'foo'}")["code"].exact_int64(), 96);
  EXPECT_EQ(server.reply("{getLog: 1}")["code"].exact_int64(), 14);
}

TEST(ServerStatus, HasWhatToolsRead) {
  test::InProcess server;
  server.run("{ping: 1}");
  server.run("{noSuchCommand: 1}");
  const bson::Document reply = server.reply("{serverStatus: 1}");
  EXPECT_EQ(reply["process"].as_string(), "mongos");
  EXPECT_EQ(number(reply, "connections.current"), 1);
  EXPECT_EQ(number(reply, "connections.active"), 1) << "serverStatus itself, on its worker";
  EXPECT_EQ(number(reply, "metrics.commands.ping.total"), 1);
  EXPECT_EQ(number(reply, "asserts.user"), 1);
  EXPECT_GT(number(reply, "network.bytesIn"), 0);
  EXPECT_EQ(number(reply, "network.numRequests"), 2);
  EXPECT_EQ(number(reply, "opcounters.command"), 1);
  EXPECT_GT(number(reply, "mem.resident"), 0);
  EXPECT_GT(number(reply["wiredTiger"].as_document()["cache"].as_document(), "maximum bytes configured"), 0);
  EXPECT_TRUE(reply["globalLock"].as_document()["activeClients"].is_document());
  const bson::View engine = reply["wiredTiger"].as_document();
  EXPECT_GE(number(engine["transaction"].as_document(), "transaction checkpoints"), 0) << "mongostat's flushes";
  EXPECT_TRUE(engine["transaction"].as_document().has("transaction checkpoint most recent time (msecs)"));
  for (const char* kind : {"read", "write"}) {
    const bson::View tickets = engine.at_path(std::string("concurrentTransactions.") + kind).as_document();
    EXPECT_GT(number(tickets, "totalTickets"), 0) << kind;
    EXPECT_EQ(number(tickets, "out") + number(tickets, "available"), number(tickets, "totalTickets")) << kind;
  }
}

TEST(ServerStatus, LeavesSectionsOut) {
  test::InProcess server;
  const bson::Document reply = server.reply("{serverStatus: 1, metrics: 0, wiredTiger: false, noSuchSection: 0}");
  EXPECT_TRUE(reply["metrics"].missing());
  EXPECT_TRUE(reply["wiredTiger"].missing());
  EXPECT_TRUE(reply["mem"].is_document());
}

TEST(ServerStatus, CountsDocumentsAndFailures) {
  test::InProcess server;
  server.run("{insert: 'c', documents: [{_id: 1}, {_id: 2}]}");
  server.run("{ping: 1, noSuchField: 1}");
  const bson::Document reply = server.reply("{serverStatus: 1}");
  EXPECT_EQ(number(reply, "opcounters.insert"), 2);
  EXPECT_EQ(number(reply, "metrics.document.inserted"), 2);
  EXPECT_EQ(number(reply, "metrics.commands.ping.failed"), 1);
  EXPECT_EQ(number(reply, "opLatencies.writes.ops"), 1);
}

TEST(Top, CountsTimePerCollection) {
  test::InProcess server;
  server.run("{insert: 'c', documents: [{_id: 1}]}");
  server.run("{insert: 'c', documents: [{_id: 2}]}");
  const bson::Document reply = server.reply("{top: 1}");
  const bson::View row = reply["totals"].as_document()["test.c"].as_document();
  EXPECT_EQ(number(row, "insert.count"), 2);
  EXPECT_EQ(number(row, "writeLock.count"), 2);
  EXPECT_EQ(number(row, "queries.count"), 0);
}

TEST(CurrentOp, ShowsItself) {
  test::InProcess server;
  const bson::Document reply = server.reply("{currentOp: 1, comment: 'it is me'}");
  const bson::View row = reply["inprog"].as_document()["0"].as_document();
  EXPECT_EQ(row["op"].as_string(), "command");
  EXPECT_EQ(row["ns"].as_string(), "admin.$cmd");
  EXPECT_EQ(row["command"].as_document()["comment"].as_string(), "it is me");
  EXPECT_GT(number(row, "opid"), 0);
  EXPECT_EQ(number(row, "secs_running"), 0);
  const std::string_view now = row["currentOpTime"].as_string();  // "2026-11-18T12:13:35.136+00:00".
  EXPECT_TRUE(now.size() == 29 && now[10] == 'T' && now[26] == ':') << now;
}

/// A greeting that waits for news is shown for as long as that takes, and is slow besides.
TEST(CurrentOp, HidesSecretsWhateverTheDatabase) {
  test::InProcess server;
  const std::string proof = ", speculativeAuthenticate: {saslStart: 1, mechanism: 'PLAIN', payload: 'hunter2'}, $db: 'test'}";
  server.run("{setParameter: 1, slowOpThresholdMs: 0}");
  Client greeting(server.server());
  const bson::Document first = greeting.reply("{hello: 1" + proof);
  const std::string known = bson::to_json(first["topologyVersion"].as_document(), bson::JsonStyle::kCanonical);
  std::atomic_bool waits = true;
  std::jthread waiting([&] {
    greeting.run("{hello: 1, topologyVersion: " + known + ", maxAwaitTimeMS: 600" + proof);
    waits = false;
  });
  std::string shown;
  while (waits && shown.find("maxAwaitTimeMS") == std::string::npos) shown = server.run("{currentOp: 1}");
  waiting.join();
  server.run("{setParameter: 1, slowOpThresholdMs: 100}");
  EXPECT_THAT(shown, HasSubstr(R"(payload: "xxx")"));
  const auto lines = log::recent().lines;
  EXPECT_THAT(lines, Contains(AllOf(HasSubstr("maxAwaitTimeMS"), HasSubstr(R"("payload":"xxx")"))));
  EXPECT_THAT(lines, Each(Not(HasSubstr("hunter2"))));
}

TEST(CurrentOp, ShowsHowFarAnIndexBuildIs) {
  test::InProcess server;
  std::string documents;
  for (int i = 0; i < 2500; ++i) documents += (i == 0 ? "{a: " : ", {a: ") + std::to_string(i) + "}";
  server.run("{insert: 'c', documents: [" + documents + "]}");
  const auto slow_down = [](shards::FailPoint& point) {
    point.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::parse_json("{blockTimeMS: 400}").value()});
  };
  shards::FailPoint& collected = *shards::FailPoint::find("indexChunkCollected");
  shards::FailPoint& filled = *shards::FailPoint::find("indexChunkFilled");
  slow_down(collected);
  slow_down(filled);
  Client builder(server.server());
  std::atomic_bool builds = true;
  std::jthread building([&] {
    builder.run("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
    builds = false;
  });
  const auto shown = [&](std::string_view text) {
    std::string all;
    while (builds && all.find(text) == std::string::npos) all = server.run("{currentOp: 1, msg: {$exists: true}}");
    return all;
  };
  EXPECT_THAT(shown("done: 1000"), HasSubstr(R"(msg: "Index Build: scanning collection Index Build: scanning collection: 1000/2500 40%", )"
                                             R"(progress: {done: 1000, total: 2500}, numYields: 0)"));
  collected.set({});
  EXPECT_THAT(shown("into index: 1000"), HasSubstr("Index Build: inserting keys from external sorter into index: 1000/2500 40%"));
  filled.set({});
  building.join();
  EXPECT_EQ(server.reply("{currentOp: 1, msg: {$exists: true}}")["inprog"].as_document().count(), 0u);
}

TEST(CurrentOp, TakesAFilter) {
  test::InProcess server;
  const auto rows = [&](std::string_view command) { return server.reply(command)["inprog"].as_document().count(); };
  EXPECT_EQ(rows("{currentOp: 1, secs_running: {$gt: 1000}}"), 0u);
  EXPECT_EQ(rows("{currentOp: 1, op: 'command'}"), 1u);
  Client idle(server.server());
  EXPECT_EQ(rows("{currentOp: 1}"), 1u);
  EXPECT_EQ(rows("{currentOp: 1, $all: true}"), 2u);
  EXPECT_EQ(rows("{currentOp: 1, $all: true, $ownOps: true}"), 1u);
  EXPECT_EQ(server.reply("{currentOp: 1, a: {$noSuchOperator: 1}}")["code"].exact_int64(), 2);
}

TEST(CurrentOp, AnOperationIsGoneWhenItIsAnswered) {
  test::InProcess server;
  server.run("{serverStatus: 1}");
  EXPECT_TRUE(current_operations(server.server(), {}).empty());
}

TEST(KillOp, MarksTheOperation) {
  test::InProcess server;
  CurrentOperation& running = server.client().connection().current();
  running.id = 4711;  // As if it ran on a worker just now.
  Client other(server.server());
  EXPECT_EQ(other.run("{killOp: 1, op: 4712}"), R"({info: "attempting to kill op", ok: 1.0})");
  EXPECT_FALSE(running.killed.thrown());
  EXPECT_EQ(other.run("{killOp: 1, op: 4711}"), R"({info: "attempting to kill op", ok: 1.0})");
  EXPECT_TRUE(running.killed.thrown());
  running.id = 0;
  EXPECT_EQ(other.reply("{killOp: 1}")["code"].exact_int64(), 4);
  EXPECT_EQ(other.reply("{killOp: 1, op: 'x'}")["code"].exact_int64(), 14);
  EXPECT_EQ(other.reply("{killOp: 1, op: 1.5}")["code"].exact_int64(), 2);
}

TEST(Sessions, AreImplicit) {
  test::InProcess server;
  constexpr std::string_view kId = "{id: UUID('01020304-0506-0708-090a-0b0c0d0e0f10')}";
  const bson::Document started = server.reply("{startSession: 1}");
  EXPECT_EQ(number(started, "timeoutMinutes"), 30);
  EXPECT_EQ(started.view().at_path("id.id").as_binary().subtype, 4);
  for (const char* name : {"endSessions", "refreshSessions", "killSessions"}) {
    const auto with = [&](std::string_view list) { return "{" + std::string(name) + ": " + std::string(list) + "}"; };
    EXPECT_EQ(server.run(with("[]")), "{ok: 1.0}");
    EXPECT_EQ(server.run(with("[" + std::string(kId) + "]")), "{ok: 1.0}");
    EXPECT_EQ(server.reply(with("1"))["code"].exact_int64(), 14);
    EXPECT_EQ(server.reply(with("[{foo: 1}]"))["code"].exact_int64(), 40415);
    EXPECT_EQ(server.reply(with("[{}]"))["code"].exact_int64(), 40414);
    EXPECT_EQ(server.reply(with("[{id: 1}]"))["code"].exact_int64(), 14);
  }
}

TEST(Sessions, KillingOneStopsWhatRunsInIt) {
  test::InProcess server;
  CurrentOperation& running = server.client().connection().current();
  running.id = 1;
  running.session = shards::Uuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  Client other(server.server());
  other.run("{killSessions: [{id: UUID('01020304-0506-0708-090a-0b0c0d0e0f11')}]}");
  EXPECT_FALSE(running.killed.thrown());
  other.run("{killSessions: [{id: UUID('01020304-0506-0708-090a-0b0c0d0e0f10')}]}");
  EXPECT_TRUE(running.killed.thrown());
  running.killed.reset();
  EXPECT_EQ(other.run("{killAllSessions: []}"), "{ok: 1.0}");
  EXPECT_TRUE(running.killed.thrown());
  EXPECT_EQ(other.reply("{killAllSessions: [{user: 'u', db: 'd'}]}")["code"].exact_int64(), 11);
  running.id = 0;
}

TEST(ProfileCommand, SetsWhatIsSlow) {
  test::InProcess server;
  EXPECT_EQ(server.run("{profile: 0, slowms: 7}"), "{was: 0, slowms: 100, sampleRate: 1.0, ok: 1.0}");
  EXPECT_EQ(server.run("{profile: -1}"), "{was: 0, slowms: 7, sampleRate: 1.0, ok: 1.0}");
  server.run("{profile: 0, slowms: 100}");
  EXPECT_EQ(server.reply("{profile: 0, sampleRate: 2}")["code"].exact_int64(), 2);
}

TEST(SlowLog, ShowsWhatWasAsked) {
  test::InProcess server;
  server.run("{setParameter: 1, slowOpThresholdMs: 0}");
  server.run("{ping: 1, comment: 'slow of this test'}");
  server.run("{setParameter: 1, slowOpThresholdMs: 100}");
  const log::Recent recent = log::recent();
  EXPECT_THAT(recent.lines, Contains(AllOf(HasSubstr(R"("id":51803)"), HasSubstr("slow of this test"),
                                                    HasSubstr(R"("ns":"test.$cmd")"), HasSubstr("durationMillis"),
                                                    HasSubstr(R"("remote":"127.0.0.1:1")"))));
}

TEST(SlowLog, KeepsQuietAboutTheRest) {
  test::InProcess server;
  server.run("{ping: 1, comment: 'quick of this test'}");
  for (const std::string& line : log::recent().lines) EXPECT_THAT(line, Not(HasSubstr("quick of this test")));
}

TEST(Router, TellsItsKind) {
  test::InProcess server;
  EXPECT_EQ(number(server.reply("{isdbgrid: 1}"), "isdbgrid"), 1);
  const bson::Document status = server.reply("{replSetGetStatus: 1}");
  EXPECT_EQ(status["info"].as_string(), "mongos");
  EXPECT_EQ(status["code"].exact_int64(), 76);
}

TEST(Top, NamesCollectionsThatAreThere) {
  test::InProcess server;
  server.reply("{insert: 'c', documents: [{a: 1}], $db: 'test'}");
  server.reply("{find: 'c', $db: 'test'}");
  server.reply("{find: 'none', $db: 'test'}");
  server.reply("{insert: 'gone', documents: [{a: 1}], $db: 'test'}");
  server.reply("{drop: 'gone', $db: 'test'}");
  const bson::Document top = server.reply("{top: 1, $db: 'admin'}");
  const bson::View totals = top["totals"].as_document();
  EXPECT_TRUE(totals.has("test.c"));
  EXPECT_FALSE(totals.has("test.none"));
  EXPECT_FALSE(totals.has("test.gone"));
}

TEST(ServerStatus, CountsCheckpointsAndThoseThatFailed) {
  test::InProcess server;
  shards::FailPoint& drawn = *shards::FailPoint::find("checkpointBoundary");
  drawn.set({.mode = shards::FailPoint::Mode::kTimes, .count = 2, .data = bson::parse_json("{errorCode: 14031}").value()});
  for (int i = 0; i < 3; ++i) (void)server.server().store.checkpoint().ok();
  const bson::Document status = server.reply("{serverStatus: 1}");
  EXPECT_EQ(number(status, "partita.checkpoints.failed"), 2);
  EXPECT_EQ(number(status, "partita.checkpoints.done"), 1);
}

}  // namespace
}  // namespace partita::commands
