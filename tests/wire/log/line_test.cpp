// SPDX-License-Identifier: GPL-3.0-or-later
// What one line of the log looks like.
#include "wire/log/line.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <limits>

#include "wire/bson/json.h"
#include "wire/log/redact.h"

namespace partita::log {
namespace {

std::string formatted(Line line, Attributes attributes) {
  line.attributes = {attributes.begin(), attributes.size()};
  std::string out;
  format(line, out);
  return out;
}

class LogLine : public ::testing::Test {
 protected:
  void zone(const char* name) {
    setenv("TZ", name, 1);
    tzset();
  }
  void SetUp() override { zone("UTC"); }
  void TearDown() override { zone("UTC"); }

  Line line{.when = std::chrono::system_clock::from_time_t(1795004015) + std::chrono::milliseconds(136),
            .severity = Severity::kInfo,
            .component = Component::kNetwork,
            .id = 22943,
            .context = "listener",
            .message = "Connection accepted"};
};

TEST_F(LogLine, IsWrittenAsTheRealServerWritesIt) {
  EXPECT_EQ(
      formatted(line, {{"remote", "127.0.0.1:33074"}, {"connectionId", 191}, {"ok", true}}),
      R"({"t":{"$date":"2026-11-18T12:13:35.136+00:00"},"s":"I",  "c":"NETWORK",  "id":22943,   "ctx":"listener",)"
      R"("msg":"Connection accepted","attr":{"remote":"127.0.0.1:33074","connectionId":191,"ok":true}})");
}

TEST_F(LogLine, KeepsItsColumns) {
  line.severity = Severity::kDebug2;
  line.component = Component::kSharding;
  line.id = 4879802;
  EXPECT_NE(formatted(line, {}).find(R"("s":"D2", "c":"SHARDING", "id":4879802, "ctx")"), std::string::npos);
  line.component = Component::kDefault;
  line.id = 1;
  EXPECT_NE(formatted(line, {}).find(R"("c":"-",        "id":1,       "ctx")"), std::string::npos);
}

TEST_F(LogLine, TellsTheLocalOffset) {
  zone("ABC+03:30");  // POSIX signs: west of Greenwich.
  EXPECT_NE(formatted(line, {}).find("T08:43:35.136-03:30"), std::string::npos);
  zone("ABC-05:45");
  EXPECT_NE(formatted(line, {}).find("T17:58:35.136+05:45"), std::string::npos);
}

TEST_F(LogLine, IsOneLineOfJsonWhateverItCarries) {
  const auto document = bson::Document::build([](bson::Writer& w) {
    w.add("a\nb", 1);
    w.add("text", "\x01\"\\\n");
  });
  line.message = "a\n\"quoted\"\tmessage";
  const std::string text = formatted(line, {{"odd \"name\"", "x\ny"},
                                            {"nan", std::nan("")},
                                            {"inf", std::numeric_limits<double>::infinity()},
                                            {"half", 0.5},
                                            {"document", document.view()},
                                            {"value", bson::Value::of(std::int64_t{5})},
                                            {"least", std::numeric_limits<std::int64_t>::min()}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto parsed = bson::parse_json(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message() << text;
  const bson::View attributes = (*parsed)["attr"].as_document();
  EXPECT_EQ(attributes["odd \"name\""].as_string(), "x\ny");
  EXPECT_EQ(attributes["half"].as_double(), 0.5);
  EXPECT_EQ(attributes["document"].as_document()["text"].as_string(), "\x01\"\\\n");
}

TEST_F(LogLine, CutsWhatIsTooLongAndSaysSo) {
  const std::string kLong = std::string(kMaxAttributeSize - 1, 'x') + "\u00e9" + std::string(5000, 'y');
  const auto document = bson::Document::build([&](bson::Writer& w) { w.add("long", kLong); });
  const std::string text = formatted(line, {{"short", 1}, {"text", kLong}, {"document", document.view()}});
  const auto parsed = bson::parse_json(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  const bson::View attributes = (*parsed)["attr"].as_document();
  EXPECT_EQ(attributes["text"].as_string(), std::string(kMaxAttributeSize - 1, 'x')) << "no half character";
  EXPECT_TRUE(attributes["document"].is_string());
  const bson::View cut = (*parsed)["truncated"].as_document();
  EXPECT_TRUE(cut.has("text") && cut.has("document"));
  EXPECT_FALSE(cut.has("short"));
}

TEST_F(LogLine, NeverHoldsSecrets) {
  for (const char* command : {"createUser", "updateUser", "saslStart", "saslContinue", "authenticate"}) {
    const auto document = bson::Document::build([&](bson::Writer& w) {
      w.add(command, "name");
      for (const char* secret : {"pwd", "payload", "key", "nonce"})
        w.add(secret, secret == std::string_view("nonce") ? "n" : "hunter2");
      w.add("$db", "admin");
    });
    const auto without = without_secrets(document);
    const std::string text = formatted(line, {{"command", without.view()}});
    EXPECT_TRUE(holds_secrets(document)) << command;
    EXPECT_EQ(without[command].as_string(), "name");
    EXPECT_EQ(without["$db"].as_string(), "admin");
  }
  const auto explain = bson::Document::build([](bson::Writer& w) {
    bson::Writer inner = w.document("explain");
    inner.add("createUser", "u");
    inner.add("pwd", "hunter2");
  });
  EXPECT_EQ(formatted(line, {{"command", explain.view()}}).find("hunter2"), std::string::npos);
  const auto create = bson::Document::build([](bson::Writer& w) {
    w.add("createUser", "ann");
    w.add("pwd", "hunter2");
  });
  EXPECT_EQ(formatted(line, {{"command", create.view()}}).find("hunter2"), std::string::npos);
  EXPECT_EQ(formatted(line, {{"command", bson::Value::of(create.view())}}).find("hunter2"), std::string::npos);
}

TEST_F(LogLine, HidesTheProofInsideAGreeting) {
  const auto hello = bson::Document::build([](bson::Writer& w) {
    w.add("hello", 1);
    {
      bson::Writer inner = w.document("speculativeAuthenticate");
      inner.add("saslStart", 1);
      inner.add("payload", "hunter2");
    }
    w.add("$db", "admin");
  });
  const std::string text = formatted(line, {{"command", hello.view()}});
  EXPECT_EQ(text.find("hunter2"), std::string::npos);
  EXPECT_NE(text.find(R"("payload":"xxx")"), std::string::npos);
}

TEST_F(LogLine, HidesProofsInAnyOrderAndDepth) {
  for (const char* text : {"{hello: 1, speculativeAuthenticate: {mechanism: 'PLAIN', payload: 'hunter2', saslStart: 1}}",
                           "{isMaster: 1, $db: 'test', speculativeAuthenticate: 'hunter2'}",
                           "{explain: {hello: 1, speculativeAuthenticate: {saslStart: 1, payload: 'hunter2'}}}",
                           "{explain: {explain: {createUser: 'u', pwd: 'hunter2'}}}"}) {
    const bson::Document command = bson::parse_json(text).value();
    EXPECT_TRUE(holds_secrets(command)) << text;
    EXPECT_EQ(formatted(line, {{"command", command.view()}}).find("hunter2"), std::string::npos) << text;
  }
}

TEST_F(LogLine, LeavesOrdinaryFieldsOfThoseNamesAlone) {
  const auto find = bson::Document::build([](bson::Writer& w) {
    w.add("find", "letters");
    w.add("key", "visible");
  });
  EXPECT_FALSE(holds_secrets(find));
  EXPECT_NE(formatted(line, {{"command", find.view()}}).find("visible"), std::string::npos);
}

}  // namespace
}  // namespace partita::log
