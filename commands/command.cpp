// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/command.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <unordered_map>

namespace partita::commands {
namespace {

struct Table {
  std::deque<Command> rows;
  std::unordered_map<std::string_view, const Command*> by_name;
  std::unordered_map<std::string_view, std::string_view> unsupported;
};

Table& table() {
  static Table table;
  return table;
}

}  // namespace

Register::Register(const Command& command) {
  Command& row = table().rows.emplace_back(command);
  row.number = static_cast<std::uint16_t>(table().rows.size() - 1);
  [[maybe_unused]] bool added = table().by_name.emplace(row.name, &row).second;
  assert(added && "two commands of one name");
  for (const std::string_view alias : row.aliases) table().by_name.emplace(alias, &row);
}

RegisterUnsupported::RegisterUnsupported(std::initializer_list<std::string_view> names, std::string_view reason) {
  for (const std::string_view name : names) table().unsupported.emplace(name, reason);
}

const Command* find_command(std::string_view name) {
  const auto found = table().by_name.find(name);
  return found == table().by_name.end() ? nullptr : found->second;
}

std::vector<const Command*> all_commands() {
  std::vector<const Command*> rows;
  for (const Command& row : table().rows) rows.push_back(&row);
  std::ranges::sort(rows, {}, &Command::name);
  return rows;
}

std::vector<UnsupportedCommand> unsupported_commands() {
  std::vector<UnsupportedCommand> rows;
  for (const auto& [name, reason] : table().unsupported) rows.push_back({name, reason});
  std::ranges::sort(rows, {}, &UnsupportedCommand::name);
  return rows;
}

std::string_view unsupported_reason(std::string_view name) {
  const auto found = table().unsupported.find(name);
  return found == table().unsupported.end() ? std::string_view() : found->second;
}

}  // namespace partita::commands
