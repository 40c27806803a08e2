// SPDX-License-Identifier: GPL-3.0-or-later
// What holds for every command of the table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "commands/reference.h"
#include "commands/settings/server_parameters.h"
#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A value that the command takes for its first field, as far as that is looked at before the others.
std::string first_value(const Command& command) {
  if (command.target == Target::kCollection) return "'c'";
  for (const std::string_view name : {"endSessions", "refreshSessions", "killSessions", "killAllSessions"}) {
    if (command.name == name) return "[]";
  }
  if (command.name == "getMore") return "NumberLong(1)";
  if (command.name == "explain") return "{ping: 1}";
  if (command.name == "dataSize" || command.name == "renameCollection") return "'test.c'";
  return "1";
}

TEST(CommandTable, EveryCommandSaysWhatItIsFor) {
  for (const Command* command : all_commands()) {
    EXPECT_FALSE(command->help.empty()) << command->name;
    EXPECT_EQ(command->help.back(), '.') << command->name << ": help is a sentence";
    EXPECT_EQ(find_command(command->name), command);
    for (const std::string_view alias : command->aliases) EXPECT_EQ(find_command(alias), command) << alias;
  }
}

TEST(CommandTable, NumbersAreDense) {
  const std::vector<const Command*> rows = all_commands();
  std::set<std::uint16_t> numbers;
  for (const Command* command : rows) numbers.insert(command->number);
  EXPECT_EQ(numbers.size(), rows.size());
  EXPECT_EQ(*numbers.rbegin(), rows.size() - 1);
  EXPECT_LE(rows.size(), Metrics::kMaxCommands);
}

TEST(CommandTable, FieldsThatNobodyKnowsAreRefused) {
  test::InProcess server;
  ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(true)).ok());
  for (const Command* command : all_commands()) {
    if (command->open_ended) continue;
    const std::string sent =
        "{" + std::string(command->name) + ": " + first_value(*command) + ", noSuchField: 1}";
    const bson::Document reply = server.reply(sent);
    EXPECT_EQ(reply["code"].exact_int64(), 40415) << sent << " -> " << test::readable(reply.view());
    EXPECT_THAT(reply["errmsg"].as_string(), HasSubstr("noSuchField' is an unknown field.")) << sent;
  }
  ASSERT_TRUE(parameters::enable_test_commands.set(bson::Value::of(false)).ok());
}

TEST(CommandTable, AdminCommandsAreForTheAdminDatabase) {
  test::InProcess server;
  EXPECT_EQ(server.run("{getLog: '*', $db: 'test'}"),
            R"({ok: 0.0, errmsg: "getLog may only be run against the admin database.", code: 13, )"
            R"(codeName: "Unauthorized"})");
}

TEST(CommandTable, UnknownCommandsAreNotFound) {
  test::InProcess server;
  EXPECT_EQ(server.run("{atlasVersion: 1}"),
            R"({ok: 0.0, errmsg: "no such command: 'atlasVersion'", code: 59, codeName: "CommandNotFound"})");
}

TEST(CommandTable, KnownButMissingCommandsSayWhy) {
  test::InProcess server;
  EXPECT_THAT(server.run("{mapReduce: 'c'}"),
              StartsWith(R"({ok: 0.0, errmsg: "'mapReduce' is not supported: there is no JavaScript engine)"));
  EXPECT_EQ(server.reply("{mapReduce: 'c'}")["code"].exact_int64(), 115);
}

TEST(CommandTable, NoCommandIsBothThereAndUnsupported) {
  for (const Command* command : all_commands()) {
    EXPECT_EQ(unsupported_reason(command->name), "") << command->name;
  }
}

TEST(CommandTable, ListCommandsShowsAll) {
  test::InProcess server;
  const bson::Document reply = server.reply("{listCommands: 1}");
  const bson::View commands = reply["commands"].as_document();
  EXPECT_EQ(commands["ping"].as_document()["requiresAuth"].as_bool(), false);
  EXPECT_EQ(commands["getLog"].as_document()["adminOnly"].as_bool(), true);
  EXPECT_FALSE(commands.has("configureFailPoint")) << "only for tests";
}

TEST(CommandTable, TheReferencePageHasThemAll) {
  const std::string page = reference_page();
  for (const Command* command : all_commands()) {
    EXPECT_THAT(page, HasSubstr("| `" + std::string(command->name) + "`")) << command->name;
  }
  for (const UnsupportedCommand& command : unsupported_commands()) {
    EXPECT_THAT(page, HasSubstr("`" + std::string(command.name) + "`")) << command.name;
  }
  EXPECT_THAT(page, HasSubstr("| `slowOpThresholdMs` | int | 100 | always |"));
  EXPECT_THAT(page, HasSubstr("| `failCommand` |"));
}

}  // namespace
}  // namespace partita::commands
