// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "commands/settings/server_parameters.h"

namespace partita::commands {
namespace {

void write_row(bson::Writer row, const Command& command) {
  row.add("help", command.help);
  row.add("requiresAuth", command.rights != Rights::kNone);
  row.add("secondaryOk", command.rights != Rights::kWrite);
  row.add("adminOnly", command.target == Target::kAdmin);
  if (command.aliases.empty()) return;
  bson::ArrayWriter aliases = row.array("aliases");
  for (const std::string_view alias : command.aliases) aliases.push(alias);
}

Status list_commands(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("listCommands", op.request()));
  bson::Writer rows = reply.document("commands");
  for (const Command* command : all_commands()) {
    if (command->test_only && !parameters::enable_test_commands.get()) continue;
    write_row(rows.document(command->name), *command);
  }
  return {};
}

const Register kListCommands{{
    .name = "listCommands",
    .help = "All commands of this server, with what each is for.",
    .rights = Rights::kNone,
    .run = list_commands,
}};

}  // namespace
}  // namespace partita::commands
