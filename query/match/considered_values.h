// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "query/match/predicate.h"
#include "query/path/field_path.h"

namespace partita::query {

/// The values that a clause has looked at, for who tells why it does not hold: as far as the first place where the path leads
/// nowhere, and not more than a few.
struct ConsideredValues {
  static constexpr std::size_t kMost = 10;

  std::vector<bson::Value> values;
  bool more = false;     ///< There are others.
  bool missing = false;  ///< The path leads nowhere from the beginning.
};

/// Arrays at the end of the path stand for their elements, or for themselves.
ConsideredValues considered_values(bson::View document, const FieldPath& path, AtEnd at_end);

}  // namespace partita::query
