// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "query/match/bounds.h"

namespace partita::query {

/// One end of an interval: a value, or the first or last place of a type class, where comparisons stop that hold within
/// one class only, or those of all texts that begin as a regular expression demands.
struct IntervalEnd {
  enum class At : std::uint8_t { kValue, kClassStart, kClassEnd, kPrefixStart, kPrefixEnd };
  At at = At::kValue;
  bson::TypeClass type_class = bson::TypeClass::kMinKey;
  bson::Value value = {};  ///< At a prefix: the regular expression.
  bool inclusive = true;
  /// How the texts begin, at a prefix.
  std::string prefix() const;
};

/// Values of one field that an index has to be asked for. Values point into the filter.
struct Interval {
  IntervalEnd low;
  IntervalEnd high;
  bool is_point() const;
  /// As explain shows it: [5, inf], ("x", {}); by a collation texts are shown as their sort keys.
  std::string text(const Collator* collation = nullptr) const;
};

/// The intervals in which all matching documents have a key, in ascending order and apart from one another; empty when
/// the bounds do not narrow an index down. With `multikey` each element of an array has a key of its own, so that two
/// edges may be met by different ones and only one of them may be used, unless they are of_one_value.
std::vector<Interval> intervals_for(const PathBounds& bounds, bool multikey);

}  // namespace partita::query
