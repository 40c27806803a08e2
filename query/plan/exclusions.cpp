// SPDX-License-Identifier: GPL-3.0-or-later
// A document that matches {a: {$ne: 5}} has no key of 5, whether it has one key or, as an array, many: all of them lie
// elsewhere. So values may be ruled out of which a key tells that its document does not match; to rule out too few is
// right too, and the filter is asked again afterwards.
#include <algorithm>
#include <limits>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::TypeClass;
using bson::Value;
using At = IntervalEnd::At;

/// Of longer lists it is cheaper to look at the keys than to pass them over.
constexpr std::size_t kMostExcluded = 200;

/// What an index's keys are, as far as it matters here.
struct Keys {
  std::string_view path;
  const Collator* collation;
  bool agrees;    ///< The filter compares texts by the same one.
  bool multikey;
};

/// What its comparison cannot find elsewhere than at a key that equals it. Null is found at missing fields too, which in arrays
/// are where no key tells of them.
bool is_told(Value value, const Keys& keys) {
  if (value.is_null()) return !keys.multikey && !has_position(keys.path);
  return (is_plain(value) || value.is_document()) && (keys.agrees || !is_collated(value));
}

Interval above(Value value, bool inclusive) {
  const IntervalEnd low = at_value(value, inclusive);
  return {low, {.at = At::kClassEnd, .type_class = low.type_class}};
}

/// NaN is a number, and not less than others.
Interval below(Value value, bool inclusive) {
  const IntervalEnd high = at_value(value, inclusive);
  if (high.type_class == TypeClass::kNumber) return {at_value(Value::of(-std::numeric_limits<double>::infinity()), true), high};
  return {{.at = At::kClassStart, .type_class = high.type_class}, high};
}

/// Where keys lie only of documents that this comparison holds for.
void add_sure(const FilterNode& node, const Keys& keys, std::vector<Interval>& sure) {
  const Bound bound = node.field_operator->bound;
  const bool ranges = is_plain(node.operand) && is_told(node.operand, keys);
  if (bound == Bound::kEqual && is_told(node.operand, keys)) sure.push_back(point(node.operand));
  if (bound == Bound::kGreater || bound == Bound::kGreaterOrEqual) {
    if (ranges) sure.push_back(above(node.operand, bound == Bound::kGreaterOrEqual));
  }
  if (bound == Bound::kLess || bound == Bound::kLessOrEqual) {
    if (ranges) sure.push_back(below(node.operand, bound == Bound::kLessOrEqual));
  }
  if (bound != Bound::kIn) return;
  for (const bson::Field& one : node.operand.as_document()) {
    if (is_told(one.value, keys)) sure.push_back(point(one.value));
  }
}

/// The end of what lies on the other side of it.
IntervalEnd beyond(IntervalEnd end) {
  if (end.at == At::kValue) end.inclusive = !end.inclusive;
  return end;
}

std::vector<Interval> all_but(const std::vector<Interval>& excluded) {
  std::vector<Interval> rest;
  IntervalEnd low{.at = At::kClassStart, .type_class = TypeClass::kMinKey};
  for (const Interval& interval : excluded) {
    rest.push_back({low, beyond(interval.low)});
    low = beyond(interval.high);
  }
  rest.push_back({low, {.at = At::kClassEnd, .type_class = TypeClass::kMaxKey}});
  return rest;
}

}  // namespace

bool holds_null(const Interval& interval) {
  const TypeClass low = interval.low.type_class;
  const TypeClass high = interval.high.type_class;
  const bool from = low < TypeClass::kNull || (low == TypeClass::kNull && interval.low.at != At::kClassEnd && interval.low.inclusive);
  const bool to = high > TypeClass::kNull || (high == TypeClass::kNull && interval.high.at != At::kClassStart && interval.high.inclusive);
  return from && to;
}

std::vector<Interval> without_excluded(std::vector<Interval> intervals, const FilterTree& filter, std::string_view path,
                                       const Collator* collation, bool multikey) {
  const std::vector<const FilterNode*> comparisons = ruled_out(filter, path);
  if (comparisons.empty() || (!intervals.empty() && all_points(intervals))) return intervals;
  const Keys keys{path, collation, agree(collation, filter.collation.get()), multikey};
  std::vector<Interval> excluded;
  for (const FilterNode* node : comparisons) add_sure(*node, keys, excluded);
  if (excluded.empty() || excluded.size() > kMostExcluded) return intervals;
  std::vector<Interval> rest = all_but(united(std::move(excluded), collation));
  return intervals.empty() ? rest : in_both(intervals, rest, collation);
}

}  // namespace partita::query
