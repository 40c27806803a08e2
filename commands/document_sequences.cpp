// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/document_sequences.h"

#include <algorithm>
#include <array>

namespace partita::commands {
namespace {

/// They know by themselves which names they take.
constexpr std::array<std::string_view, 4> kTakers{"bulkWrite", "delete", "insert", "update"};

/// As a mongod 6.0 was asked, name by name. All others, and those that it does not have, leave sequences aside.
constexpr std::array<std::string_view, 35> kRefusers{
    "buildInfo",      "cloneCollectionAsCapped", "collMod",         "collStats",     "configureFailPoint",
    "connPoolStats",  "convertToCapped",         "count",           "currentOp",     "dataSize",
    "dbStats",        "distinct",                "explain",         "flushRouterConfig", "fsync",
    "getLog",         "getParameter",            "getShardMap",     "getShardVersion", "hello",
    "killAllSessions", "killOp",                 "killSessions",    "listCommands",  "mergeChunks",
    "planCacheClear", "profile",                 "renameCollection", "replSetGetStatus", "serverStatus",
    "setParameter",   "startSession",            "top",             "validate",      "whatsmyuri",
};

bool holds(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

}  // namespace

Result<std::optional<wire::Request>> without_sequences(const Command& command, const wire::Request& request) {
  if (request.sequence_count == 0 || holds(kTakers, command.name)) return std::optional<wire::Request>();
  if (holds(kRefusers, command.name)) {
    return error(Code{40472}, "The ", command.name, " command does not support document sequences.");
  }
  std::optional<wire::Request> bare = request;
  bare->sequence_count = 0;
  return bare;
}

}  // namespace partita::commands
