// SPDX-License-Identifier: GPL-3.0-or-later
// A wildcard index has a key for each path and value, and none where nothing is. So it serves what a filter demands of one
// path, where that excludes what is missing, and is no comparison with a document or an array as a whole.
#include <algorithm>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::TypeClass;

bool has_own_keys(TypeClass type_class) {
  return type_class != TypeClass::kNull && type_class != TypeClass::kUndefined && type_class != TypeClass::kDocument &&
         type_class != TypeClass::kArray;
}

bool exists(const FilterTree& filter, std::string_view path) {
  return std::ranges::any_of(conjuncts(filter), [&](const FilterNode* node) {
    return node->kind == FilterNode::Kind::kField && node->field_operator->name == "$exists" && node->path.text() == path;
  });
}

/// The path itself and, for `below`, all that go on behind it: ["a", "a"], ["a.", "a/").
std::vector<Interval> path_intervals(const bson::Document& texts, bool below) {
  const auto text = [&](std::string_view name, bool inclusive) {
    return IntervalEnd{.type_class = TypeClass::kString, .value = texts[name], .inclusive = inclusive};
  };
  std::vector<Interval> intervals{{text("path", true), text("path", true)}};
  if (below) intervals.push_back({text("first", true), text("behind", false)});
  return intervals;
}

std::shared_ptr<const bson::Document> texts_of(std::string_view path) {
  return std::make_shared<const bson::Document>(bson::Document::build([&](bson::Writer& out) {
    out.add("path", path);
    out.add("first", std::string(path) + '.');
    out.add("behind", std::string(path) + '/');  // The character behind the dot.
  }));
}

std::vector<Interval> value_intervals(const FilterTree& filter, std::string_view path, const Collator* collation, bool multikey) {
  std::vector<Interval> intervals = intervals_for(bounds_in_keys(filter, path, collation), multikey);
  const auto is_served = [](const Interval& interval) {
    return has_own_keys(interval.low.type_class) && has_own_keys(interval.high.type_class);
  };
  if (!std::ranges::all_of(intervals, is_served) || intervals.size() > kMaxKeyRanges) intervals.clear();
  return intervals;
}

std::optional<Plan> path_plan(const PlanRequest& request, std::size_t position, std::string_view path) {
  const IndexDescription& index = request.indexes[position];
  if (has_position(path) || index.wildcard->reach(path) != WildcardScope::Reach::kInside) return std::nullopt;
  const Collator* const collation = index.fields[0].collation;
  const std::uint64_t bits = WildcardScope::array_bits(path);
  const bool multikey = (index.array_bits & bits) != 0;
  std::vector<Interval> values = value_intervals(*request.filter, path, collation, multikey);
  const bool below = values.empty();
  if (below && !(index.wildcard->covers(path) && exists(*request.filter, path))) return std::nullopt;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position, .wildcard_path = path, .texts = texts_of(path)};
  plan.intervals.push_back({path_intervals(*plan.texts, below), keys::Direction::kAscending});
  if (!below) plan.intervals.push_back({std::move(values), keys::Direction::kAscending, KeyForm::kValue, collation});
  const bool sorts = request.sort != nullptr && !request.sort->empty();
  const bool in_order = sorts && !below && !multikey && agree(collation, request.sort->collation()) && request.sort->fields().size() == 1 && request.sort->fields()[0].path == path;
  plan.needs_sort = sorts && !in_order;
  plan.backward = in_order && request.sort->fields()[0].direction == keys::Direction::kDescending;
  plan.may_repeat = multikey || below;
  if (!plan.may_repeat) plan.without_arrays = bits;
  plan.score = score(index, std::span(plan.intervals).subspan(1), in_order) - 1;  // An index of that path alone is shorter.
  return plan;
}

}  // namespace

std::vector<Plan> wildcard_plans(const PlanRequest& request, std::size_t position) {
  std::vector<Plan> plans;
  for (const FilterNode* node : conjuncts(*request.filter)) {
    if (node->kind != FilterNode::Kind::kField) continue;
    const std::string_view path = node->path.text();
    if (std::ranges::find(plans, path, &Plan::wildcard_path) != plans.end()) continue;
    if (std::optional<Plan> plan = path_plan(request, position, path)) plans.push_back(std::move(*plan));
  }
  return plans;
}

}  // namespace partita::query
