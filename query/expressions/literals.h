// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "wire/bson/view.h"

namespace partita::query {

/// The value of an operand that is a constant as it is written, or {$literal: ...} of one.
inline std::optional<bson::Value> literal(bson::Value operand) {
  if (operand.is_array()) return std::nullopt;
  if (operand.is_string()) return operand.as_string().starts_with('$') ? std::nullopt : std::optional(operand);
  if (!operand.is_document()) return operand;
  const bson::View call = operand.as_document();
  if (call.empty()) return std::nullopt;
  const bson::Field first = *call.begin();
  return first.name == "$literal" || first.name == "$const" ? std::optional(first.value) : std::nullopt;
}

}  // namespace partita::query
