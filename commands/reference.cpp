// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/reference.h"

#include <map>
#include <vector>

#include "commands/command.h"
#include "commands/generic_arguments.h"
#include "commands/settings/parameters.h"
#include "shards/storage/fail_point.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

/// A cell of a table must not end it.
std::string cell(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string_view rights_needed(Rights rights) {
  switch (rights) {
    case Rights::kNone:
      return "none";
    case Rights::kRead:
      return "read";
    case Rights::kWrite:
      return "write";
    case Rights::kDatabaseAdmin:
      return "database admin";
    case Rights::kClusterMonitor:
      return "monitor";
    case Rights::kClusterAdmin:
      return "cluster admin";
  }
  return "";
}

std::string names_of(const Command& command) {
  std::string names = "`" + std::string(command.name) + "`";
  for (const std::string_view alias : command.aliases) names += ", `" + std::string(alias) + "`";
  return names;
}

std::string what_for(const Command& command) {
  std::string text = cell(command.help);
  if (command.target == Target::kAdmin) text += " On `admin` only.";
  if (command.test_only) text += " With `enableTestCommands=1` only.";
  return text;
}

void append_generic_arguments(std::string& page) {
  page += "\n# What any command takes\n\n| field | effect |\n| --- | --- |\n";
  for (const GenericArgument& row : generic_arguments()) {
    page += "| `" + std::string(row.name) + "` | " + cell(row.effect) + " |\n";
  }
}

void append_commands(std::string& page) {
  page += "# Commands\n\n| command | what for | rights |\n| --- | --- | --- |\n";
  for (const Command* command : all_commands()) {
    page += "| " + names_of(*command) + " | " + what_for(*command) + " | " +
            std::string(rights_needed(command->rights)) + " |\n";
  }
}

void append_unsupported(std::string& page) {
  std::map<std::string_view, std::string> names_by_reason;
  for (const UnsupportedCommand& command : unsupported_commands()) {
    std::string& names = names_by_reason[command.reason];
    if (!names.empty()) names += ", ";
    names += "`" + std::string(command.name) + "`";
  }
  page += "\n# MongoDB's commands that are not there\n\n| why | commands |\n| --- | --- |\n";
  for (const auto& [reason, names] : names_by_reason) page += "| " + cell(reason) + " | " + names + " |\n";
}

void append_parameters(std::string& page) {
  page += "\n# Server parameters\n\n| parameter | type | at first | may be set | what for |\n"
          "| --- | --- | --- | --- | --- |\n";
  for (const parameters::Parameter* parameter : parameters::all()) {
    const bool runtime = parameter->settable(parameters::When::kRuntime);
    const bool startup = parameter->settable(parameters::When::kStartup);
    page += "| `" + std::string(parameter->about().name) + "` | " + std::string(parameter->type_name()) + " | " +
            cell(bson::to_json(parameter->initial().get())) + " | " +
            (runtime && startup ? "always" : runtime ? "while it runs" : "at start") + " | " +
            cell(parameter->about().summary) + " |\n";
  }
}

void append_fail_points(std::string& page) {
  page += "\n# Fail points\n\n| fail point | where |\n| --- | --- |\n";
  std::map<std::string_view, std::string_view> points;
  for (const shards::FailPoint* point : shards::FailPoint::all()) points.emplace(point->name(), point->help());
  for (const auto& [name, help] : points) page += "| `" + std::string(name) + "` | " + cell(help) + " |\n";
}

}  // namespace

std::string reference_page() {
  std::string page;
  append_commands(page);
  append_generic_arguments(page);
  append_unsupported(page);
  append_parameters(page);
  append_fail_points(page);
  return page;
}

}  // namespace partita::commands
