// SPDX-License-Identifier: GPL-3.0-or-later
//
// Sessions begin with the first request that names them. All that is kept of one are the statements of its last retryable
// write, beside the documents that they changed; they are forgotten some time after that write, whatever the client says
// (sessions/reaper.h). So start and refresh only check what they are given; end also ends the session's cursors, and kill
// stops what runs.
#include <algorithm>

#include "commands/arguments.h"
#include "commands/client_connection.h"
#include "commands/current_operations.h"
#include "commands/server.h"
#include "commands/settings/server_parameters.h"
#include "commands/version.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

constexpr std::size_t kUuidSize = 16;

/// {id: UUID}, and `uid` beside it when somebody names another user's.
Result<shards::Uuid> parse_session_id(bson::Value value, std::string_view where) {
  if (!value.is_document()) return wrong_type(where, "0", value, "object");
  std::optional<shards::Uuid> id;
  for (const auto& [name, field] : value.as_document()) {
    if (name == "id") {
      constexpr std::uint8_t kUuidSubtype = 4;
      if (!field.is(bson::Type::kBinary) || field.as_binary().subtype != kUuidSubtype ||
          field.as_binary().bytes.size() != kUuidSize) {
        return wrong_type(where, name, field, "binData of subtype UUID");
      }
      std::memcpy(id.emplace().data(), field.as_binary().bytes.data(), kUuidSize);
    } else if (name != "uid") {
      return unknown_field(where, name);
    }
  }
  if (!id) return missing_field(where, "id");
  return *id;
}

/// The array behind the command's name; no other fields are taken.
Result<std::vector<shards::Uuid>> parse_sessions(Operation& op) {
  const std::string_view command = op.command().name;
  CHECK_OK(no_arguments(command, op.request()));
  if (!op.target().is_array()) return wrong_type(command, command, op.target(), "array");
  const std::string where = ::partita::detail::join(command, ".", command, "FromClient");
  std::vector<shards::Uuid> ids;
  for (const bson::Field& element : op.target().as_document()) {
    TRY(ids.emplace_back(), parse_session_id(element.value, where));
  }
  return ids;
}

Status start_session(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("startSession", op.request()));
  const shards::Uuid id = op.server().store.random().uuid();
  reply.document("id").uuid("id", id);
  reply.add("timeoutMinutes", static_cast<std::int32_t>(parameters::session_timeout_minutes.get()));
  return {};
}

Status refresh_sessions(Operation& op, bson::Writer&) { return parse_sessions(op).status(); }

/// Its cursors go at once, where MongoDB lets minutes pass. To forget its statements early would save little: their rows are
/// found by partition, of which any may have some, and each would be a write; the reaper meets them anyway.
Status end_sessions(Operation& op, bson::Writer&) {
  TRY(const std::vector<shards::Uuid> ids, parse_sessions(op));
  for (const shards::Uuid& id : ids) op.server().cursors.kill_session(id);
  return {};
}

Status kill_sessions(Operation& op, bson::Writer&) {
  TRY(const std::vector<shards::Uuid> ids, parse_sessions(op));
  if (ids.empty()) return {};
  for (const shards::Uuid& id : ids) op.server().cursors.kill_session(id);
  kill_operations(op.server(), [&](const CurrentOperation& running) {
    return running.session && std::ranges::find(ids, *running.session) != ids.end();
  });
  return {};
}

/// An empty list means everybody's sessions. Anything else names users, of which there are none.
Status kill_all_sessions(Operation& op, bson::Writer&) {
  CHECK_OK(no_arguments(op.command().name, op.request()));
  if (!op.target().is_array()) return wrong_type(op.command().name, op.command().name, op.target(), "array");
  if (!op.target().as_document().empty()) return error(Code::UserNotFound, "Could not find user: there are no users");
  op.server().cursors.kill_sessions();
  const CurrentOperation* own = &op.client().current();
  kill_operations(op.server(), [&](const CurrentOperation& running) { return running.session && &running != own; });
  return {};
}

const Register kStartSession{{
    .name = "startSession",
    .help = "A new session's id. Clients may as well make ids themselves.",
    .rights = Rights::kNone,
    .run = start_session,
}};
const Register kRefreshSessions{{
    .name = "refreshSessions",
    .help = "Keeps the named sessions from timing out.",
    .rights = Rights::kNone,
    .stable_api = true,
    .run = refresh_sessions,
}};
const Register kEndSessions{{
    .name = "endSessions",
    .help = "Lets go of the named sessions, as a client does when it leaves.",
    .rights = Rights::kNone,
    .stable_api = true,
    .run = end_sessions,
}};
const Register kKillSessions{{
    .name = "killSessions",
    .help = "Stops what runs in the named sessions.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .run = kill_sessions,
}};
const Register kKillAllSessions{{
    .name = "killAllSessions",
    .help = "Stops what runs in any session.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .run = kill_all_sessions,
}};

}  // namespace
}  // namespace partita::commands
