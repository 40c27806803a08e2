// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string_view>

#include "commands/operation.h"
#include "shards/catalog/names.h"
#include "wire/bson/view.h"

namespace partita::commands {

/// What create and collMod say about a collection's validator.
struct ValidatorOptions {
  bson::View validator;
  std::optional<std::string_view> level, action;
};

/// Whether level and action are words that there are: `command` is for error texts.
Status check_validation_words(std::string_view command, const ValidatorOptions& options);

/// Whether they can be meant.
Status check_validator(Operation& operation, std::string_view command, const shards::Namespace& ns, const ValidatorOptions& options);

}  // namespace partita::commands
