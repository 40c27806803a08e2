// SPDX-License-Identifier: GPL-3.0-or-later
// A wildcard index has a key for each path and value, and none where nothing is. So it serves what a filter demands of one
// path, where that excludes what is missing, and is no comparison with a document or an array as a whole. Fields before the
// wildcard have to be pinned to points for that; those behind it are narrowed when the path's values are points. Fields before
// it serve a filter by themselves too, if that asks for a value of one of them: then the document is in the index, perhaps
// with many keys. Only paths below the wildcard hold arrays.
#include <algorithm>
#include <set>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using bson::TypeClass;

bool has_own_keys(TypeClass type_class) {
  return type_class != TypeClass::kNull && type_class != TypeClass::kUndefined && type_class != TypeClass::kDocument &&
         type_class != TypeClass::kArray;
}

bool is_empty_whole(bson::Value value) { return (value.is_document() || value.is_array()) && value.as_document().empty(); }

/// A clause that nothing meets which has no such path, so that all keys of the path and below it lead to whatever does. Only
/// $exists is worth that for itself; the others, which know nothing narrower, have to be asked for by a hint.
bool demands_path(const FilterNode& node, bool hinted) {
  if (node.kind != FilterNode::Kind::kField) return false;
  const std::string_view name = node.field_operator->name;
  if (name == "$exists") return true;
  return hinted && (name == "$mod" || name == "$type" || (name == "$eq" && is_empty_whole(node.operand)));
}

bool exists(const PlanRequest& request, std::string_view path) {
  return std::ranges::any_of(conjuncts(*request.filter), [&](const FilterNode* node) {
    return demands_path(*node, request.hint.has_value()) && node->path.text() == path;
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
  if (!multikey) intervals = within_computed(std::move(intervals), filter, path, collation);
  const auto is_served = [](const Interval& interval) {
    return interval.low.type_class == interval.high.type_class && has_own_keys(interval.low.type_class);
  };
  if (!std::ranges::all_of(intervals, is_served) || intervals.size() > kMaxKeyRanges) intervals.clear();
  return intervals;
}

bool all_pinned(const std::vector<FieldIntervals>& fields) { return fields.empty() || all_points(fields.back().intervals); }

/// What the filter says of one wildcard index.
class WildcardPlanner {
 public:
  WildcardPlanner(const PlanRequest& request, std::size_t position)
      : request_(request), index_(request.indexes[position]), place_(index_.wildcard_place()), position_(position) {
    index_.multikey = false;
    narrow(index_, *request.filter, place_, before_);
  }
  std::optional<Plan> on_path(std::string_view path) const;
  std::optional<Plan> before_wildcard() const;
  /// Whether the path may be narrowed.
  bool reaches_wildcard() const { return before_.size() == place_ && all_pinned(before_); }

 private:
  bool sorts() const { return request_.sort != nullptr && !request_.sort->empty(); }
  void order(const IndexDescription& fields, const std::vector<FieldIntervals>& narrowed, Plan& plan) const;

  const PlanRequest& request_;
  IndexDescription index_;
  std::size_t place_;
  std::size_t position_;
  std::vector<FieldIntervals> before_;
};

/// Settles the sort, and the score: an index of these fields alone is shorter.
void WildcardPlanner::order(const IndexDescription& fields, const std::vector<FieldIntervals>& narrowed, Plan& plan) const {
  auto order = sorts() && request_.sort->near() == nullptr ? serves_sort(fields, narrowed, *request_.sort) : std::nullopt;
  plan.needs_sort = sorts() && !order;
  plan.score = score(index_, narrowed, order.has_value()) - 1;
  if (!order) return;
  plan.backward = order->backward;
  plan.sort_fields = std::move(order->fields);
}

std::optional<Plan> WildcardPlanner::on_path(std::string_view path) const {
  if (has_position(path) || index_.wildcard->reach(path) != WildcardScope::Reach::kInside) return std::nullopt;
  const IndexDescription::Field& wildcard = index_.fields[place_];
  const std::uint64_t bits = WildcardScope::array_bits(path);
  const bool multikey = (index_.array_bits & bits) != 0;
  std::vector<Interval> values = value_intervals(*request_.filter, path, wildcard.collation, multikey);
  const bool below = values.empty();
  if (below && !(index_.wildcard->covers(path) && exists(request_, path))) return std::nullopt;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position_, .wildcard_path = path, .texts = texts_of(path)};
  // As an index would be that has the path for one of its fields.
  IndexDescription fields = index_;
  fields.multikey = multikey && !below;
  fields.array_bits = 0;  // They are of paths.
  if (below) fields.fields.resize(place_);
  std::vector<FieldIntervals> narrowed = before_;
  if (!below) {
    fields.fields[place_] = {path, wildcard.direction, KeyForm::kValue, wildcard.collation};
    if (makes_few_ranges(range_count(narrowed), values.size())) {
      narrowed.push_back({std::move(values), wildcard.direction, KeyForm::kValue, wildcard.collation});
      narrow(index_, *request_.filter, index_.fields.size(), narrowed);
    }
  }
  order(fields, narrowed, plan);
  plan.may_repeat = multikey || below;
  if (!plan.may_repeat) plan.without_arrays = bits;
  plan.intervals = std::move(narrowed);
  const auto place = plan.intervals.begin() + static_cast<std::ptrdiff_t>(place_);
  plan.intervals.insert(place, {path_intervals(*plan.texts, below), keys::Direction::kAscending});
  return plan;
}

/// It is a sparse index: who has none of the fields is not in it.
std::optional<Plan> WildcardPlanner::before_wildcard() const {
  const auto demands_value = [](const FieldIntervals& field) { return std::ranges::none_of(field.intervals, holds_null); };
  if (std::ranges::none_of(before_, demands_value)) return std::nullopt;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position_, .intervals = before_, .may_repeat = true};
  IndexDescription fields = index_;
  fields.fields.resize(place_);
  order(fields, before_, plan);
  return plan;
}

}  // namespace

std::size_t IndexDescription::wildcard_place() const {
  const auto found = std::ranges::find(fields, KeyForm::kPathAndValue, &Field::form);
  return static_cast<std::size_t>(found - fields.begin());
}

namespace {

/// The filter is looked at as a whole for each path: of very many the first ones have to do.
constexpr std::size_t kMostPaths = 200;

/// Each once, in the order in which the filter asks about them.
std::vector<std::string_view> paths_of(const PlanRequest& request) {
  std::vector<std::string_view> paths;
  std::set<std::string_view> met;
  for (const FilterNode* node : conjuncts(*request.filter)) {
    const bool of_field = node->kind == FilterNode::Kind::kField || node->kind == FilterNode::Kind::kComputed ||
                          demands_path(*node, request.hint.has_value());
    if (of_field && paths.size() < kMostPaths && met.insert(node->path.text()).second) paths.push_back(node->path.text());
  }
  return paths;
}

}  // namespace

std::vector<Plan> wildcard_plans(const PlanRequest& request, std::size_t position) {
  std::vector<Plan> plans;
  if (!serves_near(request.indexes[position], *request.filter)) return plans;
  const WildcardPlanner planner(request, position);
  if (planner.reaches_wildcard()) {
    for (const std::string_view path : paths_of(request)) {
      if (std::optional<Plan> plan = planner.on_path(path)) plans.push_back(std::move(*plan));
    }
  }
  if (!plans.empty()) return plans;
  if (std::optional<Plan> plan = planner.before_wildcard()) plans.push_back(std::move(*plan));
  return plans;
}

}  // namespace partita::query
