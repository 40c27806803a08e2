// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>

#include "query/expressions/expression.h"

namespace partita::query {

/// One named parameter of an operator.
struct Parameter {
  std::string_view name;
  Code missing = Code::OK;  ///< What its absence answers; OK where it may be absent.
};

/// The operators that take {name: expression, ...} and nothing else, and how each of them complains.
struct Parameters {
  /// Older operators and newer ones word the same complaints differently.
  enum class Wording : std::uint8_t { kSupports, kRequires, kSetField };

  std::string_view op;
  Code not_object;
  Code unknown;
  Wording wording;
  std::initializer_list<Parameter> list;

  /// The values in the order of the list, missing where one is absent.
  Result<std::vector<bson::Value>> read(bson::Value operand) const;
};

}  // namespace partita::query
