// SPDX-License-Identifier: GPL-3.0-or-later
// Without statistics and trials a plan is judged by its form: an _id beats everything; then the more fields are pinned to
// points the better; then a range behind them; then an order that saves the sort; then an index that is unique or short.
#include "query/plan/plan.h"

#include <algorithm>
#include <iterator>

#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using keys::Direction;

std::string_view top_name(std::string_view path) { return path.substr(0, path.find('.')); }

/// Two paths through one array: what the filter says about them may hold for different elements, and then no key has both.
bool may_share_array(const IndexDescription& index, std::size_t field) {
  if (!index.multikey) return false;
  for (std::size_t i = 0; i < field; ++i)
    if (top_name(index.fields[i].path) == top_name(index.fields[field].path)) return true;
  return false;
}

/// A part like "0" picks an element by its position, and the index has keys for that one alone. To the filter the field
/// "0" of all other elements is there too, missing, and so null may be found where the index has no null.
bool may_hide_null(std::string_view path, const std::vector<Interval>& intervals) {
  if (!has_position(path)) return false;
  return std::ranges::any_of(intervals, [](const Interval& interval) { return interval.high.value.is_null(); });
}

/// Null, missing and undefined are one key where an index says so, and a point.
void pin_nulls(std::vector<Interval>& intervals) {
  for (Interval& interval : intervals) {
    const bool nulls = interval.high.value.is_null() && interval.low.type_class == bson::TypeClass::kUndefined;
    if (nulls) interval.low = interval.high;
  }
}

/// Fields from the first on, as long as each before is pinned to points.
std::vector<FieldIntervals> narrow(const IndexDescription& index, const FilterTree& filter) {
  std::vector<FieldIntervals> narrowed;
  std::size_t ranges = 1;
  for (std::size_t i = 0; i < index.fields.size() && !may_share_array(index, i); ++i) {
    const IndexDescription::Field& field = index.fields[i];
    if (field.form == KeyForm::kText) break;
    const bool place = is_place(field.form);
    std::vector<Interval> intervals = place ? place_intervals(index, field, filter) : intervals_for(bounds_for(filter, field.path), index.multikey);
    const bool hashed = field.form != KeyForm::kValue && !place;
    if (index.null_is_one || hashed) pin_nulls(intervals);
    if (intervals.empty() || ranges * intervals.size() > kMaxKeyRanges) break;
    if (hashed && !all_points(intervals)) break;
    if (may_hide_null(field.path, intervals)) break;
    ranges *= intervals.size();
    const bool pinned = all_points(intervals);
    narrowed.push_back({std::move(intervals), field.direction, field.form});
    if (!pinned) break;
  }
  return narrowed;
}

/// Whether the index's order is the sort's or its reverse: fields pinned to one point may stand between. A field pinned
/// to several breaks the order of those behind it.
std::optional<bool> serves_sort(const IndexDescription& index, const std::vector<FieldIntervals>& narrowed,
                                std::span<const SortField> sort) {
  if (index.multikey) return std::nullopt;
  std::optional<bool> backward;
  std::size_t asked = 0;
  for (std::size_t i = 0; i < index.fields.size() && asked < sort.size(); ++i) {
    if (sort[asked].text_score) return std::nullopt;
    const bool one_point =
        i < narrowed.size() && narrowed[i].intervals.size() == 1 && narrowed[i].intervals[0].is_point();
    if (index.fields[i].form != KeyForm::kValue && !one_point) return std::nullopt;
    if (index.fields[i].path != sort[asked].path) {
      if (!one_point) return std::nullopt;
      continue;
    }
    const bool against = index.fields[i].direction != sort[asked].direction;
    if (!one_point && backward.value_or(against) != against) return std::nullopt;
    if (!one_point) backward = against;
    ++asked;
  }
  if (asked < sort.size()) return std::nullopt;
  return backward.value_or(false);
}

/// A partial index lacks the documents that its filter does not match, a sparse one those without its fields; they may
/// stand for all others only.
bool holds_all_matches(const IndexDescription& index, const FilterTree& filter, const std::vector<FieldIntervals>& narrowed) {
  if (!serves_filter(index, filter)) return false;
  if (index.geo != nullptr) return serves_places(index, filter) && !narrowed.empty();
  if (!index.sparse) return true;
  for (const FieldIntervals& field : narrowed)
    for (const Interval& interval : field.intervals)
      if (interval.high.value.is_null()) return false;
  return !narrowed.empty();
}

std::optional<Plan> index_plan(const PlanRequest& request, std::size_t position, bool hinted) {
  const IndexDescription& index = request.indexes[position];
  std::vector<FieldIntervals> narrowed = narrow(index, *request.filter);
  const bool sorts = request.sort != nullptr && !request.sort->empty();
  const bool by_fields = sorts && request.sort->near() == nullptr;
  const auto order = by_fields ? serves_sort(index, narrowed, request.sort->fields()) : std::nullopt;
  if (narrowed.empty() && !order && !hinted) return std::nullopt;
  if (!index.clustered && !serves_near(index, *request.filter)) return std::nullopt;  // Of records it is asked for their bounds.
  if (!hinted && !holds_all_matches(index, *request.filter, narrowed)) return std::nullopt;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position, .intervals = std::move(narrowed)};
  plan.backward = order.value_or(false);
  plan.needs_sort = sorts && !order;
  plan.needs_filter = request.filter->nodes.size() > 1;
  plan.may_repeat = index.multikey;
  if (!index.multikey) plan.without_arrays = ~std::uint64_t{0};
  plan.score = score(index, plan.intervals, order.has_value());
  return plan;
}

Plan collection_scan(const PlanRequest& request) {
  Plan plan;
  plan.needs_sort = request.sort != nullptr && !request.sort->empty();
  plan.needs_filter = request.filter->nodes.size() > 1;
  plan.backward = request.natural_hint && request.natural_backward;
  return plan;
}

}  // namespace

std::vector<KeyRange> Plan::ranges() const {
  if (access == Access::kIdLookup) {
    const std::vector<FieldIntervals> point{{intervals_for({.equal = id}, false), Direction::kAscending}};
    return point[0].intervals.empty() ? std::vector<KeyRange>{{}} : key_ranges(point);
  }
  return intervals.empty() ? std::vector<KeyRange>{{}} : key_ranges(intervals);
}

std::optional<Plan> express_plan(const FilterTree& filter) {
  const auto id = sole_equality(filter, "_id");
  if (!id) return std::nullopt;
  Plan plan{.access = Plan::Access::kIdLookup, .id = *id};
  plan.needs_filter = false;
  return plan;
}

std::vector<Plan> candidate_plans(const PlanRequest& request) {
  if (request.filter->text_must_hold && !request.hint && !request.natural_hint) return text_plans(request);
  const auto best_first = [](const Plan& a, const Plan& b) { return a.score > b.score; };
  if (request.hint && request.indexes[*request.hint].wildcard != nullptr) {
    std::vector<Plan> plans = wildcard_plans(request, *request.hint);
    std::stable_sort(plans.begin(), plans.end(), best_first);
    return plans;
  }
  std::vector<Plan> plans;
  const bool near = request.filter->near != nullptr;
  if (request.hint) {
    auto plan = index_plan(request, *request.hint, true);
    if (plan) plans.push_back(std::move(*plan));
    return plans;
  }
  if (request.natural_hint && near) return plans;
  if (request.natural_hint) return {collection_scan(request)};
  for (std::size_t i = 0; i < request.indexes.size(); ++i) {
    const auto id = request.indexes[i].by_id && !near ? bounds_for(*request.filter, "_id").equal : std::nullopt;
    if (id) {  // One row at most: its order is any order.
      Plan plan{.access = Plan::Access::kIdLookup, .id = *id};
      plan.needs_filter = !sole_equality(*request.filter, "_id");
      return {std::move(plan)};
    }
    if (request.indexes[i].hidden || request.indexes[i].text != nullptr) continue;
    if (request.indexes[i].wildcard != nullptr) {
      if (near || !serves_filter(request.indexes[i], *request.filter)) continue;
      std::ranges::move(wildcard_plans(request, i), std::back_inserter(plans));
      continue;
    }
    if (near && request.indexes[i].clustered) continue;
    auto plan = index_plan(request, i, false);
    if (plan) plans.push_back(std::move(*plan));
  }
  std::stable_sort(plans.begin(), plans.end(), best_first);
  if (!near) plans.push_back(collection_scan(request));
  return plans;
}

std::string dump(const Plan& plan, const PlanRequest& request) {
  std::string text;
  if (plan.access == Plan::Access::kNothing) text = "EOF";
  if (plan.access == Plan::Access::kIdLookup) text = "IDHACK";
  if (plan.access == Plan::Access::kCollectionScan) text = "COLLSCAN";
  if (plan.access == Plan::Access::kIndexScan) {
    const IndexDescription& index = request.indexes[plan.index];
    text = index.clustered ? "CLUSTERED_IXSCAN" : "IXSCAN";
    text.append(" ").append(index.name);
    for (const FieldIntervals& field : plan.intervals) {
      text += " {";
      for (const Interval& interval : field.intervals)
        text.append(&interval == field.intervals.data() ? "" : ", ").append(interval.text());
      text += "}";
    }
    if (plan.backward) text += " backward";
  }
  if (plan.needs_filter) text += " FILTER";
  if (plan.needs_sort) text += " SORT";
  return text;
}

}  // namespace partita::query
