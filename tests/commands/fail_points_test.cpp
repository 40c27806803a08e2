// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/fail_points.h"

#include <gtest/gtest.h>

#include "commands/settings/server_parameters.h"
#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::Client;

class FailPoints : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(true)).ok()); }
  void TearDown() override {
    for (shards::FailPoint* point : shards::FailPoint::all()) point->set({});
    ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(false)).ok());
  }

  std::string run(std::string_view command) { return server_.run(command); }
  std::optional<std::int64_t> code(std::string_view command) { return server_.reply(command)["code"].exact_int64(); }
  void fail(std::string_view mode, std::string_view data) {
    const std::string command = "{configureFailPoint: 'failCommand', mode: " + std::string(mode) + ", data: " +
                                std::string(data) + "}";
    const bson::Document reply = server_.reply(command);
    ASSERT_EQ(reply["ok"].as_double(), 1.0) << test::readable(reply.view());
  }

  test::InProcess server_;
};

TEST_F(FailPoints, AreThereForTestsOnly) {
  ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(false)).ok());
  EXPECT_EQ(run("{configureFailPoint: 'failCommand', mode: 'off'}"),
            R"({ok: 0.0, errmsg: "no such command: 'configureFailPoint'", code: 59, codeName: "CommandNotFound"})");
}

TEST_F(FailPoints, FailTheNamedCommandSoManyTimes) {
  fail("{times: 2}", "{errorCode: 54321, failCommands: ['ping']}");
  EXPECT_EQ(code("{buildInfo: 1}"), std::nullopt);
  EXPECT_EQ(code("{ping: 1}"), 54321);
  EXPECT_EQ(run("{ping: 1}"),
            R"({ok: 0.0, errmsg: "Failing command via 'failCommand' failpoint", code: 54321, codeName: "Location54321"})");
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
}

TEST_F(FailPoints, KnowCommandsByTheirOlderNamesToo) {
  fail("{times: 1}", "{errorCode: 91, failCommands: ['isMaster']}");
  EXPECT_EQ(code("{hello: 1}"), 91);
}

TEST_F(FailPoints, SkipTheFirstOnes) {
  fail("{skip: 2}", "{errorCode: 54321, failCommands: ['ping']}");
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
  EXPECT_EQ(code("{ping: 1}"), 54321);
  EXPECT_EQ(code("{ping: 1}"), 54321);
}

TEST_F(FailPoints, AskOncePerOperationEvenAcrossAHop) {
  fail("{skip: 1}", "{errorCode: 54321, failCommands: ['serverStatus']}");
  EXPECT_EQ(code("{serverStatus: 1}"), std::nullopt) << "the hop to the worker is no second operation";
  EXPECT_EQ(code("{serverStatus: 1}"), 54321);
}

TEST_F(FailPoints, CountHowOftenTheyFired) {
  const auto count = [&] {
    return server_.reply("{configureFailPoint: 'failCommand', mode: 'off'}")["count"].as_int32();
  };
  const std::int32_t before = count();
  fail("'alwaysOn'", "{errorCode: 54321, failCommands: ['ping']}");
  run("{ping: 1}");
  run("{buildInfo: 1}");
  run("{ping: 1}");
  EXPECT_EQ(count(), before + 2);
}

TEST_F(FailPoints, CloseTheConnection) {
  fail("{times: 1}", "{closeConnection: true, failCommands: ['ping']}");
  EXPECT_EQ(run("{ping: 1}"), "closed");
}

TEST_F(FailPoints, HoldTheConnectionBeforeTheyFail) {
  fail("{times: 1}", "{blockConnection: true, blockTimeMS: 60, errorCode: 91, failCommands: ['ping']}");
  const auto begin = steady_clock::now();
  EXPECT_EQ(code("{ping: 1}"), 91);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(60));
}

TEST_F(FailPoints, HoldTheConnectionAndLetTheCommandRun) {
  fail("{times: 1}", "{blockConnection: true, blockTimeMS: 30, failCommands: ['serverStatus']}");
  const auto begin = steady_clock::now();
  EXPECT_EQ(code("{serverStatus: 1}"), std::nullopt);
  EXPECT_GE(steady_clock::now() - begin, milliseconds(30));
}

TEST_F(FailPoints, ADelayIsNotTakenForTheCommandsOwnWait) {
  fail("{times: 1}", "{blockConnection: true, blockTimeMS: 20, failCommands: ['hello']}");
  const bson::Document version = bson::Document::build([&](bson::Writer& to) { server_.server().topology.write(to); });
  const std::string text = bson::to_json(version.view(), bson::JsonStyle::kCanonical);
  const auto begin = steady_clock::now();
  run("{hello: 1, maxAwaitTimeMS: 60, " + text.substr(1));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(60));
}

TEST_F(FailPoints, HitOneApplicationOnly) {
  Client other(server_.server());
  other.run("{hello: 1, client: {driver: {name: 'd', version: '1'}, os: {type: 'L'}, application: {name: 'other'}}}");
  fail("'alwaysOn'", "{errorCode: 54321, failCommands: ['ping'], appName: 'other'}");
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
  EXPECT_EQ(other.reply("{ping: 1}")["code"].exact_int64(), 54321);
}

TEST_F(FailPoints, PutTheirLabelsInPlaceOfTheErrors) {
  fail("{times: 1}", "{errorCode: 91, failCommands: ['ping']}");  // One that writes may be sent again for.
  EXPECT_TRUE(server_.reply("{ping: 1}")["errorLabels"].missing());
  fail("{times: 1}", "{errorCode: 54321, errorLabels: ['A', 'B'], failCommands: ['ping']}");
  EXPECT_EQ(test::readable(server_.reply("{ping: 1}")["errorLabels"].as_document()), R"({"0": "A", "1": "B"})");
}

TEST_F(FailPoints, TellTheTopologyWithRefusalsToBeAPrimary) {
  for (const int number : {189, 10107, 11602, 13435, 13436}) {
    fail("{times: 1}", "{errorCode: " + std::to_string(number) + ", failCommands: ['ping']}");
    const bson::Document reply = server_.reply("{ping: 1}");
    EXPECT_EQ(reply["code"].exact_int64(), number);
    ASSERT_TRUE(reply["topologyVersion"].is_document()) << number;
    EXPECT_EQ(TopologyVersion::parse(reply["topologyVersion"]).value(), server_.server().topology);
  }
  for (const int number : {91, 11600, 10058, 6, 50}) {
    fail("{times: 1}", "{errorCode: " + std::to_string(number) + ", failCommands: ['ping']}");
    EXPECT_TRUE(server_.reply("{ping: 1}")["topologyVersion"].missing()) << number;
  }
  fail("{times: 1}", "{writeConcernError: {code: 189, errmsg: 'x'}, failCommands: ['insert']}");
  EXPECT_TRUE(server_.reply("{insert: 'c', documents: [{}]}")["topologyVersion"].is_document());
  fail("{times: 1}", "{writeConcernError: {code: 91, errmsg: 'x'}, failCommands: ['insert']}");
  EXPECT_TRUE(server_.reply("{insert: 'c', documents: [{}]}")["topologyVersion"].missing());
}

TEST_F(FailPoints, TellOnlyTheDetailsThatTheCodeHas) {
  const auto answer = [&](std::string_view data) {
    fail("{times: 1}", "{failCommands: ['ping'], " + std::string(data) + "}");
    return run("{ping: 1}");
  };
  EXPECT_EQ(answer("errorCode: 7, errorExtraInfo: {a: 1}"),
            R"({ok: 0.0, errmsg: "Failing command via 'failCommand' failpoint", code: 7, codeName: "HostNotFound"})");
  EXPECT_EQ(answer("errorCode: 11000, errorExtraInfo: {keyPattern: {a: 1}, keyValue: {a: 2}, x: 3}"),
            R"({ok: 0.0, errmsg: "Failing command via 'failCommand' failpoint", code: 11000, codeName: "DuplicateKey", )"
            R"(keyPattern: {a: 1}, keyValue: {a: 2}})");
  EXPECT_EQ(answer("errorCode: 121, errorExtraInfo: {errInfo: {a: 1}, x: 3}"),
            R"({ok: 0.0, errmsg: "Failing command via 'failCommand' failpoint", code: 121, )"
            R"(codeName: "DocumentValidationFailure", errInfo: {a: 1}})");
  const std::pair<const char*, int> refused[] = {{"errorCode: 7, errorExtraInfo: 3", 14},
                                                 {"errorCode: 11000", 40671},
                                                 {"errorCode: 11000, errorExtraInfo: {x: 1}", 10065},
                                                 {"errorCode: 121, errorExtraInfo: {x: 1}", 4878100}};
  for (const auto& [data, number] : refused) {
    fail("{times: 1}", "{failCommands: ['ping'], " + std::string(data) + "}");
    EXPECT_EQ(code("{ping: 1}"), number) << data;
  }
  EXPECT_EQ(answer("blockConnection: true, blockTimeMS: -5"),
            R"({ok: 0.0, errmsg: "'blockTimeMS' must be non-negative", code: 72, codeName: "InvalidOptions"})");
}

TEST_F(FailPoints, CountTimesAsMongoDBDoes) {
  fail("{times: 0}", "{errorCode: 54321, failCommands: ['ping']}");
  EXPECT_EQ(code("{ping: 1}"), 54321) << "once, strange as it is";
  EXPECT_EQ(code("{ping: 1}"), std::nullopt);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {times: 1.5}}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {skip: 1.5}}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {times: 'x'}}"), 14);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {times: true}}"), 14);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {times: {$numberLong: '2147483648'}}}"), 2);
}

TEST_F(FailPoints, NeverKeepTheirOwnSwitchFromWorking) {
  fail("'alwaysOn'", "{errorCode: 54321, failAllCommands: true, failCommands: ['configureFailPoint']}");
  EXPECT_EQ(code("{ping: 1}"), 54321);
  fail("'off'", "{}");
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
}

TEST_F(FailPoints, RunOutOfTime) {
  run("{configureFailPoint: 'maxTimeAlwaysTimeOut', mode: 'alwaysOn'}");
  EXPECT_EQ(code("{ping: 1, maxTimeMS: 100000}"), 50);
  EXPECT_EQ(run("{ping: 1}"), "{ok: 1.0}");
}

TEST_F(FailPoints, RefuseWhatIsNoMode) {
  EXPECT_EQ(code("{configureFailPoint: 'nope', mode: 'off'}"), 266);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand'}"), 20);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: 'foo'}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {foo: 1}}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {times: -1}}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: {activationProbability: 2}}"), 2);
  EXPECT_EQ(code("{configureFailPoint: 'failCommand', mode: 1}"), 14);
}

TEST(FailPointsInStorage, FailAsTheyAreTold) {
  static shards::FailPoint point{"testPoint", "For this test."};
  EXPECT_TRUE(point.hit().ok());
  point.set({.mode = shards::FailPoint::Mode::kTimes,
             .count = 1,
             .data = bson::Document::build([](bson::Writer& to) { to.add("errorCode", 112); })});
  EXPECT_EQ(point.hit().code(), Code::WriteConflict);
  EXPECT_TRUE(point.hit().ok());
  EXPECT_FALSE(point.armed()) << "one time is over: passing is one load again";
}

TEST(FailPointsInStorage, SomeTimes) {
  static shards::FailPoint point{"testPointSometimes", "For this test."};
  point.set({.mode = shards::FailPoint::Mode::kSometimes, .probability = 0});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(point.fire(), nullptr);
  point.set({.mode = shards::FailPoint::Mode::kSometimes, .probability = 1});
  for (int i = 0; i < 100; ++i) EXPECT_NE(point.fire(), nullptr);
  point.set({});
}

}  // namespace
}  // namespace partita::commands
