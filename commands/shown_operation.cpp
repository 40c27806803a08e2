// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/shown_operation.h"

#include "commands/command.h"
#include "wire/log/redact.h"

namespace partita::commands {
namespace {

/// Large commands are not copied for the sake of those who only want to see what runs.
constexpr std::size_t kMaxShownCommand = 16 << 10;

}  // namespace

std::string_view operation_kind(const Command* command) {
  if (command == nullptr) return "none";
  if (command->name == "delete") return "remove";
  for (const std::string_view own : {"insert", "update"}) {
    if (command->name == own) return own;
  }
  if (command->name == "find") return "query";
  if (command->name == "getMore") return "getmore";
  return "command";
}

bson::Document shown_command(bson::View body) {
  if (body.size() <= kMaxShownCommand) return log::holds_secrets(body) ? log::without_secrets(body) : bson::Document(body);
  return bson::Document::build([&](bson::Writer& shown) {
    if (!body.begin()->value.is_document()) shown.add(*body.begin());
    shown.add("$truncated", static_cast<std::int32_t>(body.size()));
  });
}

}  // namespace partita::commands
