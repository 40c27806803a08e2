// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

constexpr std::string_view kGlobal = "global";
constexpr std::string_view kStartupWarnings = "startupWarnings";

Status get_log(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("getLog", op.request()));
  if (!op.target().is_string()) return wrong_type("getLog", "getLog", op.target(), "string");
  const std::string_view name = op.target().as_string();
  if (name == "*") {
    bson::ArrayWriter names = reply.array("names");
    names.push(kGlobal);
    names.push(kStartupWarnings);
    return {};
  }
  if (name != kGlobal && name != kStartupWarnings) {
    return error(Code::OperationFailed, "No log named '", name, "'");
  }
  const log::Recent recent = name == kGlobal ? log::recent() : log::startup_warnings();
  reply.add("totalLinesWritten", static_cast<std::int32_t>(recent.total));
  bson::ArrayWriter lines = reply.array("log");
  for (const std::string& line : recent.lines) lines.push(line);
  return {};
}

const Register kGetLog{{
    .name = "getLog",
    .help = "The last lines of the log: 'global', 'startupWarnings', or '*' for these names.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = get_log,
}};

}  // namespace
}  // namespace partita::commands
