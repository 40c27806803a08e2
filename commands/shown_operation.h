// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/bson/document.h"

namespace partita::commands {

struct Command;

/// mongod's word for what an operation does: "query", "insert", "remove" ...; "none" where there is no command.
std::string_view operation_kind(const Command* command);

/// A command as others may see it: without secrets, and a large one with no more than its name and its size.
bson::Document shown_command(bson::View body);

}  // namespace partita::commands
