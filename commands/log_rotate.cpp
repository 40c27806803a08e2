// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

struct LogRotateRequest {
  std::optional<std::string_view> comment;
};
const Arguments<LogRotateRequest> kArguments{{"comment", &LogRotateRequest::comment}};

Status log_rotate(Operation& op, bson::Writer&) {
  TRY(const LogRotateRequest request, kArguments.parse("logRotate", op.request()));
  // A number or true rotates the only log there is; a name must be that log's.
  if (op.target().is_string() && op.target().as_string() != "server") {
    return error(Code::NoSuchKey, "Unknown log type for rotate: '", op.target().as_string(), "'");
  }
  CHECK_OK(log::rotate(op.server().settings.log.rotation));
  log::info(log::Component::kControl, 23166, "Log rotation initiated", {{"comment", request.comment.value_or("")}});
  return {};
}

const Register kLogRotate{{
    .name = "logRotate",
    .help = "Moves the log file aside and begins a new one.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = log_rotate,
}};

}  // namespace
}  // namespace partita::commands
