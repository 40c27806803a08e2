// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"

namespace partita::commands {

/// Whether {find: "c", help: true} wants to know what the command is for. `failed` is how it has ended otherwise: nothing is
/// looked at of a request that has no such field.
bool asks_for_help(const Operation& operation, const Status& failed);

void write_help(const Command& command, bson::Writer& reply);

}  // namespace partita::commands
