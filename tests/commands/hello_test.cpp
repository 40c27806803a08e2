// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::Client;
using ::testing::HasSubstr;

constexpr std::string_view kMetadata =
    "{driver: {name: 'd', version: '1'}, os: {type: 'Linux'}, application: {name: 'app'}}";

std::string with_metadata(std::string_view metadata) { return "{hello: 1, client: " + std::string(metadata) + "}"; }

/// A hello that waits for news: `counter` as the server has it, plus `ahead`.
std::string awaiting(Server& server, int ms, int ahead = 0) {
  const bson::Document version = bson::Document::build([&](bson::Writer& to) {
    TopologyVersion known = server.topology;
    known.counter += ahead;
    known.write(to);
  });
  const std::string text = bson::to_json(version.view(), bson::JsonStyle::kCanonical);  // {"topologyVersion":{...}}
  return "{hello: 1, maxAwaitTimeMS: " + std::to_string(ms) + ", " + text.substr(1);
}

TEST(Hello, AnswersAsARouter) {
  test::InProcess server;
  const bson::Document reply = server.reply("{hello: 1, helloOk: true}");
  EXPECT_EQ(reply["msg"].as_string(), "isdbgrid");
  EXPECT_TRUE(reply["isWritablePrimary"].as_bool());
  EXPECT_TRUE(reply["ismaster"].missing());
  EXPECT_TRUE(reply["helloOk"].as_bool());
  EXPECT_EQ(reply["maxBsonObjectSize"].as_int32(), 16777216);
  EXPECT_EQ(reply["maxMessageSizeBytes"].as_int32(), 48000000);
  EXPECT_EQ(reply["maxWriteBatchSize"].as_int32(), 100000);
  EXPECT_EQ(reply["logicalSessionTimeoutMinutes"].as_int32(), 30);
  EXPECT_EQ(reply["minWireVersion"].as_int32(), 0);
  EXPECT_EQ(reply["maxWireVersion"].as_int32(), 21);
  EXPECT_TRUE(reply["localTime"].is(bson::Type::kDate));
  EXPECT_EQ(reply["connectionId"].as_int32(), server.client().peer().connection_id);
}

TEST(Hello, OldNamesAnswerWithTheOldField) {
  test::InProcess server;
  for (const char* name : {"{isMaster: 1}", "{ismaster: 1}"}) {
    const bson::Document reply = server.reply(name);
    EXPECT_TRUE(reply["ismaster"].as_bool()) << name;
    EXPECT_TRUE(reply["isWritablePrimary"].missing()) << name;
    EXPECT_TRUE(reply["helloOk"].missing()) << name;
  }
}

TEST(Hello, TakesFieldsOfDriversToCome) {
  test::InProcess server;
  EXPECT_TRUE(server.reply("{hello: 1, backpressure: '2', somethingNew: {a: 1}}")["msg"].is_string());
}

TEST(Hello, AgreesOnCompressionInTheClientsOrder) {
  test::InProcess server;
  const auto agreed = [&](std::string_view command) {
    const bson::Document reply = server.reply(command);
    return reply["compression"].missing() ? std::string("none") : test::readable(reply["compression"].as_document());
  };
  EXPECT_EQ(agreed("{hello: 1}"), "none");
  EXPECT_EQ(agreed("{hello: 1, compression: ['zstd', 'lz4', 'snappy']}"), R"({"0": "zstd", "1": "snappy"})");
  EXPECT_EQ(agreed("{hello: 1}"), R"({"0": "zstd", "1": "snappy"})") << "what was agreed on stays";
  EXPECT_EQ(agreed("{hello: 1, compression: ['lz4']}"), "none");
  EXPECT_EQ(agreed("{hello: 1}"), "none");
  EXPECT_EQ(server.reply("{hello: 1, compression: 1}")["code"].exact_int64(), 14);
  EXPECT_EQ(server.reply("{hello: 1, compression: ['zlib', 5]}")["code"].exact_int64(), 14);
}

TEST(Hello, KeepsWhatTheClientSaysOfItself) {
  test::InProcess server;
  server.run(with_metadata(kMetadata));
  EXPECT_EQ(server.client().connection().application_name(), "app");
}

TEST(Hello, ClientMetadataComesWithTheFirstHelloOnly) {
  test::InProcess server;
  const auto again = [&](Client& client) { return client.reply(with_metadata(kMetadata))["code"].exact_int64(); };
  Client first(server.server());
  EXPECT_EQ(again(first), std::nullopt);
  EXPECT_EQ(again(first), 186);
  Client late(server.server());
  late.run("{hello: 1}");
  EXPECT_EQ(again(late), 186);
}

TEST(Hello, ClientMetadataIsChecked) {
  test::InProcess server;
  const auto refused = [&](std::string_view metadata) {
    Client client(server.server());
    const bson::Document reply = client.reply(with_metadata(metadata));
    return std::to_string(reply["code"].exact_int64().value_or(0)) + " " + std::string(reply["errmsg"].as_string());
  };
  EXPECT_EQ(refused("1"), "14 The client metadata document must be a document");
  EXPECT_EQ(refused("{}"), "183 Missing required sub-document 'driver' in the client metadata document");
  EXPECT_EQ(refused("{driver: {name: 'd', version: '1'}}"),
            "183 Missing required sub-document 'os' in the client metadata document");
  EXPECT_EQ(refused("{driver: {name: 'd'}, os: {type: 'L'}}"),
            "183 Missing required field 'driver.version' in the client metadata document");
  EXPECT_EQ(refused("{driver: 1, os: {type: 'L'}}"),
            "14 The 'driver' field is required to be a BSON document in the client metadata document");
  EXPECT_EQ(refused("{driver: {name: 'd', version: '1'}, os: {type: 'L'}, application: {name: '" +
                    std::string(129, 'x') + "'}}"),
            "184 The 'application.name' field must be less then or equal to 128 bytes in the client metadata document");
  EXPECT_THAT(refused("{driver: {name: 'd', version: '1'}, os: {type: '" + std::string(1024, 'x') + "'}}"),
              HasSubstr("185 The client metadata document must be less then or equal to 1024 bytes"));
}

TEST(AwaitableHello, WaitsUntilTheClientsPatienceEnds) {
  test::InProcess server;
  const auto begin = steady_clock::now();
  const bson::Document reply = server.reply(awaiting(server.server(), 60));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(60));
  EXPECT_TRUE(reply["isWritablePrimary"].as_bool());
}

TEST(AwaitableHello, AnswersAtOnceWhoKnowsAnotherServer) {
  test::InProcess server;
  const auto begin = steady_clock::now();
  const bson::Document reply = server.reply(
      "{hello: 1, maxAwaitTimeMS: 60000, topologyVersion: {processId: ObjectId('000000000000000000000000'), "
      "counter: NumberLong(5)}}");
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_TRUE(reply["isWritablePrimary"].as_bool());
}

TEST(AwaitableHello, MaxTimeMsEndsIt) {
  test::InProcess server;
  const std::string command = awaiting(server.server(), 60000);
  const bson::Document reply = server.reply(command.substr(0, command.size() - 1) + ", maxTimeMS: 20}");
  EXPECT_EQ(reply["code"].exact_int64(), 50);
}

TEST(AwaitableHello, RefusesWhatMakesNoSense) {
  test::InProcess server;
  const auto code = [&](std::string_view command) { return server.reply(command)["code"].exact_int64(); };
  EXPECT_EQ(code("{hello: 1, maxAwaitTimeMS: 10}"), 31368);
  EXPECT_EQ(code("{hello: 1, topologyVersion: {processId: ObjectId('000000000000000000000000'), counter: NumberLong(0)}}"),
            31368);
  EXPECT_EQ(code(awaiting(server.server(), 10, 99)), 51764);
  EXPECT_EQ(code(awaiting(server.server(), 10, -1)), 31372);
  EXPECT_EQ(code(awaiting(server.server(), -1)), 51024);
  EXPECT_EQ(code("{hello: 1, maxAwaitTimeMS: 1, topologyVersion: 1}"), 14);
  EXPECT_EQ(code("{hello: 1, maxAwaitTimeMS: 1, topologyVersion: {x: 1}}"), 40415);
  EXPECT_EQ(code("{hello: 1, maxAwaitTimeMS: 1, topologyVersion: {counter: NumberLong(0)}}"), 40414);
}

TEST(StreamedHello, GoesOnAtThePaceThatTheClientAskedFor) {
  test::InProcess server;
  Client& client = server.client();
  const auto begin = steady_clock::now();
  client.reply(awaiting(server.server(), 30), {.exhaust_allowed = true});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client.next_reply()["isWritablePrimary"].as_bool());
  EXPECT_GE(steady_clock::now() - begin, milliseconds(4 * 30));
}

TEST(StreamedHello, ToldOnceAClientIsUpToDate) {
  test::InProcess server;
  Client& client = server.client();
  client.reply(
      "{hello: 1, maxAwaitTimeMS: 40, topologyVersion: {processId: ObjectId('000000000000000000000000'), "
      "counter: NumberLong(5)}}",
      {.exhaust_allowed = true});
  const auto begin = steady_clock::now();
  client.next_reply();
  EXPECT_GE(steady_clock::now() - begin, milliseconds(40)) << "the second answer of the stream is no news";
}

TEST(StreamedHello, NeverRunsHot) {
  test::InProcess server;
  Client& client = server.client();
  const auto begin = steady_clock::now();
  client.reply(awaiting(server.server(), 0), {.exhaust_allowed = true});
  for (int i = 0; i < 4; ++i) client.next_reply();
  EXPECT_GE(steady_clock::now() - begin, milliseconds(50));
}

TEST(StreamedHello, NeedsAPatience) {
  test::InProcess server;
  EXPECT_EQ(server.client().reply("{hello: 1}", {.exhaust_allowed = true})["code"].exact_int64(), 51756);
  EXPECT_TRUE(server.client().next_reply().view().empty());
}

TEST(AwaitedHello, SaysThatTheServerStops) {
  test::InProcess server;
  const std::string hello = awaiting(server.server(), 100);
  server.server().stopping = true;
  server.client().peer().gone = true;  // As the network wakes who waits.
  EXPECT_EQ(server.reply(hello)["code"].exact_int64(), 11600);
  server.client().peer().gone = false;
  server.server().stopping = false;
}

TEST(Hello, RefusesFieldsThatAreNotWhatTheyClaimToBe) {
  test::InProcess server;
  const auto code = [&](std::string_view field) {
    return server.reply("{hello: 1, " + std::string(field) + "}")["code"].exact_int64();
  };
  EXPECT_EQ(code("helloOk: 'x'"), 14);
  EXPECT_EQ(code("helloOk: null"), std::nullopt);
  EXPECT_EQ(code("helloOk: 0"), std::nullopt);
  EXPECT_EQ(code("saslSupportedMechs: 'x'"), 2);
  EXPECT_EQ(code("saslSupportedMechs: null"), 14);
  EXPECT_EQ(code("saslSupportedMechs: {}"), 2);
  EXPECT_EQ(code("saslSupportedMechs: 'admin.x'"), std::nullopt);
  EXPECT_EQ(code("saslSupportedMechs: {user: 'x', db: 'admin'}"), std::nullopt);
  EXPECT_EQ(code("loadBalanced: 1"), 14);
  EXPECT_EQ(code("hostInfo: 1"), 14);
  EXPECT_EQ(code("forShell: {}"), 14);
  EXPECT_EQ(code("speculativeAuthenticate: 'x'"), 14);
  EXPECT_EQ(code("internalClient: 1"), 14);
  EXPECT_EQ(code("internalClient: {}"), 40414);
  EXPECT_EQ(code("internalClient: {minWireVersion: 0, maxWireVersion: 17, x: 1}"), 40415);
  EXPECT_EQ(code("internalClient: {minWireVersion: 0, maxWireVersion: 17}"), std::nullopt);
  EXPECT_TRUE(server.reply("{hello: 1, helloOk: false}")["helloOk"].as_bool()) << "mongod says so to everybody who asks";
}

}  // namespace
}  // namespace partita::commands
