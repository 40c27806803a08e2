// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "commands/operation.h"
#include "shards/catalog/names.h"
#include "wire/bson/view.h"

namespace partita::commands {

/// What create and collMod say about a collection's validator.
struct ValidatorOptions {
  bson::View validator;
  std::string_view level;   ///< Empty: not said.
  std::string_view action;  ///< The same.
};

/// Whether they can be meant: `command` is for error texts.
Status check_validator(Operation& operation, std::string_view command, const shards::Namespace& ns, const ValidatorOptions& options);

}  // namespace partita::commands
