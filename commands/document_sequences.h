// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "commands/command.h"
#include "wire/message/request.h"

namespace partita::commands {

/// What a command does with the document sequences (sections of kind 1) of a message, where it has no field that may come
/// as one. MongoDB's commands are of two kinds, older ones and newer ones, and so are those of the same names here.
///
/// The request as the command shall see it: without sequences where it takes no notice of them. Location40472 where it
/// refuses them. nullopt: nothing is to be changed about it.
Result<std::optional<wire::Request>> without_sequences(const Command& command, const wire::Request& request);

}  // namespace partita::commands
