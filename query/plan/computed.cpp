// SPDX-License-Identifier: GPL-3.0-or-later
// Expressions compare values in the order of all types, which is that of keys, and an array as a whole, of which no key tells.
// What is missing comes before null there, and has null for its key.
#include <algorithm>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::TypeClass;
using bson::Value;
using At = IntervalEnd::At;

Interval interval_of(const FilterNode& node) {
  const IntervalEnd lowest{.at = At::kClassStart, .type_class = TypeClass::kMinKey};
  const IntervalEnd highest{.at = At::kClassEnd, .type_class = TypeClass::kMaxKey};
  const Value value = node.operand;
  switch (node.field_operator->bound) {
    case Bound::kLess:
      return {lowest, at_value(value, value.is_null())};
    case Bound::kLessOrEqual:
      return {lowest, at_value(value, true)};
    case Bound::kGreater:
      return {at_value(value, false), highest};
    case Bound::kGreaterOrEqual:
      return {at_value(value, true), highest};
    default:
      return {at_value(value, true), at_value(value, true)};
  }
}

}  // namespace

std::vector<Interval> within_computed(std::vector<Interval> intervals, const FilterTree& filter, std::string_view path, const Collator* collation) {
  if (!intervals.empty() && all_points(intervals)) return intervals;
  for (const FilterNode* node : conjuncts(filter)) {
    if (node->kind != FilterNode::Kind::kComputed || node->path.text() != path) continue;
    if (is_collated(node->operand) && !agree(collation, filter.collation.get())) continue;
    const std::vector<Interval> own{interval_of(*node)};
    std::vector<Interval> both = intervals.empty() ? own : in_both(intervals, own, collation);
    if (!both.empty()) intervals = std::move(both);  // None matches then, which the filter will say.
  }
  return intervals;
}

}  // namespace partita::query
