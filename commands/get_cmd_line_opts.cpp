// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "commands/arguments.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

/// Clients look into these sections without asking whether they are there.
constexpr std::array<std::string_view, 3> kAlwaysThere{"net", "security", "setParameter"};

Status get_cmd_line_opts(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("getCmdLineOpts", op.request()));
  const Settings& settings = op.server().settings;
  {
    bson::ArrayWriter argv = reply.array("argv");
    for (const std::string& argument : settings.argv) argv.push(argument);
  }
  bson::Writer parsed = reply.document("parsed");
  parsed.elements(settings.parsed.view());
  for (const std::string_view section : kAlwaysThere) {
    if (!settings.parsed.view().has(section)) parsed.document(section).close();
  }
  return {};
}

const Register kGetCmdLineOpts{{
    .name = "getCmdLineOpts",
    .help = "How the server was started: its command line, and the settings from there and from its file.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = get_cmd_line_opts,
}};

}  // namespace
}  // namespace partita::commands
