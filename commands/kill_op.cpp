// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/current_operations.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

struct KillOpRequest {
  bson::Value op;
};
const Arguments<KillOpRequest> kArguments{{"op", &KillOpRequest::op}};

Status kill_op(Operation& op, bson::Writer& reply) {
  TRY(const KillOpRequest request, kArguments.parse("killOp", op.request()));
  if (request.op.missing()) return error(Code::NoSuchKey, "Missing expected field \"op\"");
  if (!request.op.is_number()) {
    return error(Code::TypeMismatch, "Expected field \"op\" to have numeric type, but found ", request.op.type_name());
  }
  const std::optional<std::int64_t> id = request.op.exact_int64();
  if (!id) return error(Code::BadValue, "\"op\" must be a whole number");
  // Answers the same whether or not it still ran: the client cannot know either.
  kill_operations(op.server(), [&](const CurrentOperation& running) { return running.id == *id; });
  reply.add("info", "attempting to kill op");
  return {};
}

const Register kKillOp{{
    .name = "killOp",
    .help = "Tells the operation with this opid of currentOp to stop.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = kill_op,
}};

}  // namespace
}  // namespace partita::commands
