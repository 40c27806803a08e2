// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/asked_help.h"

#include <algorithm>

namespace partita::commands {
namespace {

constexpr Code kUnknownField{40415};

/// MongoDB's commands of old tell what they are for; newer ones refuse the field, and so do ours.
constexpr std::string_view kTelling[] = {
    "buildInfo", "collMod", "collStats", "connPoolStats", "convertToCapped", "count", "dbStats", "distinct", "find", "getLog",
    "killAllSessions", "killOp", "killSessions", "listCommands", "planCacheClear", "profile", "replSetGetStatus", "serverStatus",
    "startSession", "top", "validate", "whatsmyuri"};

}  // namespace

bool asks_for_help(const Operation& operation, const Status& failed) {
  if (failed.code() != kUnknownField || !operation.body()["help"].truthy()) return false;
  return std::ranges::find(kTelling, operation.command().name) != std::end(kTelling);
}

void write_help(const Command& command, bson::Writer& reply) {
  reply.add("help", partita::detail::join("help for: ", command.name, " ", command.help));
}

}  // namespace partita::commands
