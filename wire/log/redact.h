// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/document.h"

namespace partita::log {

/// True for a command that may carry a password, a key or a step of a proof: by its name, or by a speculative
/// authentication inside a greeting.
bool holds_secrets(bson::View command);

/// The command with "xxx" where its secrets stood. Which fields are secret is one table in the source: a new command
/// that takes credentials gets its line there.
bson::Document without_secrets(bson::View command);

}  // namespace partita::log
