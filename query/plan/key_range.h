// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "query/indexes/key_form.h"
#include "query/keys/encode.h"
#include "query/plan/interval.h"

namespace partita::query {

/// A stretch of encoded keys: from `lower` on, up to but without `upper`. Empty text leaves that side open.
struct KeyRange {
  std::string lower;
  std::string upper;
  bool operator==(const KeyRange&) const = default;
};

/// The intervals of an index's first fields and the directions of these fields; every one but the last consists of points.
struct FieldIntervals {
  std::vector<Interval> intervals;
  keys::Direction direction;
  KeyForm form = KeyForm::kValue;  ///< Of a hash all intervals are points.
  const Collator* collation = nullptr;  ///< By which texts lie in the keys.
  bool by_exclusion = false;  ///< All that the filter says of the field is what it is not: most keys may lie in them.
  bool of_no_array = false;   ///< They hold for the field's value as a whole: no document may have an array there.
};

/// What a field of an index is to a sort whose order the index has.
enum class InSort : std::uint8_t {
  kPinned,      ///< Nothing: it has one value.
  kAsItIs,      ///< The next field of the sort, in its direction.
  kComplement,  ///< The same, in the other one.
};

/// Not more ranges than this are made of the points of several fields; those behind are then left to the filter.
constexpr std::size_t kMaxKeyRanges = std::size_t{1} << 20;

/// The ranges of an index's keys in which the fields lie in their intervals, ascending.
std::vector<KeyRange> key_ranges(std::span<const FieldIntervals> fields);

/// The same keys in ranges that are ascending and apart.
std::vector<KeyRange> united(std::vector<KeyRange> ranges);
/// The same values in intervals that are ascending and apart.
std::vector<Interval> united(std::vector<Interval> intervals, const Collator* collation = nullptr);
/// The values that lie in both; each of them is ascending and apart, as the result is.
std::vector<Interval> in_both(const std::vector<Interval>& a, const std::vector<Interval>& b, const Collator* collation);

}  // namespace partita::query
