// SPDX-License-Identifier: GPL-3.0-or-later
// Without statistics and trials a plan is judged by its form: an _id beats everything; then the more fields are pinned to
// points the better; then a range behind them; then an order that saves the sort; then an index that is unique or short.
#include "query/plan/plan.h"

#include <algorithm>
#include <iterator>

#include "query/geo/near.h"
#include "query/plan/candidates.h"
#include "query/plan/clauses.h"
#include "query/plan/covering.h"

namespace partita::query {
namespace {

using keys::Direction;

/// A scan of which each point of the fields before the sort's is walked over by itself, in the sort's order, and all of them
/// in turns.
std::optional<Plan> plan_in_turns(const Plan& scan, const IndexDescription& index, const SortSpec& sort) {
  const auto order = serves_sort(index, scan.intervals, sort, true);
  if (!order) return std::nullopt;
  Plan branch{scan};
  branch.needs_sort = false;
  branch.backward = order->backward;
  branch.sort_fields = order->fields;
  std::vector<Plan> branches{std::move(branch)};
  for (std::size_t i = 0; i < order->fields.size() && i < scan.intervals.size(); ++i) {
    const std::vector<Interval>& points = scan.intervals[i].intervals;
    if (points.size() == 1) continue;
    if (points.size() * branches.size() > kMaxMergedBranches) return std::nullopt;
    std::vector<Plan> more;
    for (const Plan& each : branches) {
      for (const Interval& point : points) more.emplace_back(each).intervals[i].intervals.assign(1, point);
    }
    branches = std::move(more);
  }
  Plan plan{.access = Plan::Access::kUnion, .needs_filter = scan.needs_filter, .branches = std::move(branches), .merges = true};
  plan.covered = std::ranges::all_of(plan.branches, &Plan::covered);
  plan.exact = scan.exact;
  plan.may_repeat = scan.may_repeat;
  plan.score = score(index, scan.intervals, true) | (plan.covered ? kCoveredScore : 0);
  return plan;
}

/// A partial index lacks the documents that its filter does not match, a sparse one those without its fields; they may
/// stand for all others only.
bool holds_all_matches(const IndexDescription& index, const FilterTree& filter, const std::vector<FieldIntervals>& narrowed) {
  if (!serves_filter(index, filter)) return false;
  if (index.geo != nullptr) return serves_places(index, filter) && !narrowed.empty();
  if (!index.sparse) return true;
  for (const FieldIntervals& field : narrowed) {
    for (const Interval& interval : field.intervals) {
      if (interval.high.value.is_null() || (field.of_no_array && holds_null(interval))) return false;
    }
  }
  return !narrowed.empty();
}

/// What the keys themselves say.
void note_keys(const PlanRequest& request, Plan& scan) {
  scan.exact = is_exact(request, scan);
  scan.covered = is_covered(request, scan);
  if (!scan.covered && !scan.exact) scan.key_conditions = key_conditions(request, scan);
}

std::optional<Plan> index_plan(const PlanRequest& request, std::size_t position, bool hinted) {
  const IndexDescription& index = request.indexes[position];
  std::vector<FieldIntervals> narrowed;
  std::vector<FieldIntervals> later;
  const bool of_values = !index.clustered && index.geo == nullptr && index.text == nullptr;
  narrow(index, *request.filter, index.fields.size(), narrowed, of_values ? &later : nullptr);
  const bool sorts = request.sort != nullptr && !request.sort->empty();
  const bool by_fields = sorts && request.sort->near() == nullptr;
  Plan plan{.access = Plan::Access::kIndexScan, .index = position, .intervals = std::move(narrowed), .later = std::move(later)};
  auto order = by_fields ? serves_sort(index, plan.by_field(), *request.sort) : std::nullopt;
  if (plan.intervals.empty() && !order && !hinted) return std::nullopt;
  if (!index.clustered && !serves_near(index, *request.filter)) return std::nullopt;  // Of records it is asked for their bounds.
  if (!hinted && !holds_all_matches(index, *request.filter, plan.intervals)) return std::nullopt;
  plan.needs_sort = sorts && !order;
  plan.needs_filter = request.filter->nodes.size() > 1;
  plan.may_repeat = index.multikey;
  plan.without_arrays = ~index.array_bits;  // All of it rests on what they say.
  note_keys(request, plan);
  plan.score = score(index, plan.intervals, order.has_value()) | (plan.covered ? kCoveredScore : 0);
  if (plan.needs_sort && by_fields) {
    auto in_turns = plan_in_turns(plan, index, *request.sort);
    if (in_turns) return in_turns;
  }
  if (order) {
    plan.backward = order->backward;
    plan.sort_fields = std::move(order->fields);
  }
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
    const std::vector<FieldIntervals> point{{intervals_for({.equal = id}, false), Direction::kAscending, KeyForm::kValue, id_collation}};
    return point[0].intervals.empty() ? std::vector<KeyRange>{{}} : key_ranges(point);
  }
  if (access == Access::kUnion) {
    std::vector<KeyRange> all;
    for (const Plan& branch : branches) std::ranges::move(branch.ranges(), std::back_inserter(all));
    return united(std::move(all));
  }
  if (given) return {*given};
  return intervals.empty() ? std::vector<KeyRange>{{}} : key_ranges(intervals);
}

std::optional<Plan> express_plan(const FilterTree& filter) {
  const auto id = sole_equality(filter, "_id");
  if (!id || id->is_array()) return std::nullopt;  // No _id is one.
  Plan plan{.access = Plan::Access::kIdLookup, .id = *id};
  plan.needs_filter = false;
  return plan;
}

namespace {

constexpr std::uint32_t kBestScore = 1 << 21;

void note_branches(Plan& plan) {
  // What is sorted behind the branches wants more than they were planned for.
  if (plan.needs_sort) for (Plan& branch : plan.branches) branch.covered = false;
  plan.covered = std::ranges::all_of(plan.branches, &Plan::covered);
  plan.exact = std::ranges::all_of(plan.branches, &Plan::exact);
  // In a wildcard index a document has keys for each of several paths.
  const std::string_view path = plan.branches.front().wildcard_path;
  plan.may_repeat = std::ranges::any_of(plan.branches, [&](const Plan& branch) { return branch.wildcard_path != path; });
}

bool better(const Plan& a, const Plan& b) { return a.score > b.score; }

/// All ways through one index, the most promising one first. An _id that is looked up is the only way then: one row at most,
/// whose order is any order.
std::vector<Plan> single_plans(const PlanRequest& request) {
  std::vector<Plan> plans;
  const bool near = request.filter->near != nullptr;
  const std::size_t first = request.hint.value_or(0);
  const std::size_t end = request.hint ? first + 1 : request.indexes.size();
  for (std::size_t i = first; i < end; ++i) {
    const IndexDescription& index = request.indexes[i];
    const Collator* const of_ids = index.by_id ? index.fields[0].collation : nullptr;
    const auto id = index.by_id && !request.hint && !near ? bounds_in_keys(*request.filter, "_id", of_ids).equal : std::nullopt;
    if (id && !id->is_array()) {
      Plan plan{.access = Plan::Access::kIdLookup, .id = *id, .id_collation = of_ids, .score = kBestScore};
      plan.needs_filter = !sole_equality(*request.filter, "_id");
      plans.clear();
      plans.push_back(std::move(plan));
      return plans;
    }
    if (index.hidden || (index.text != nullptr && !request.hint)) continue;
    if (index.wildcard != nullptr) {
      if (!request.hint && (near || !serves_filter(index, *request.filter))) continue;
      std::ranges::move(wildcard_plans(request, i), std::back_inserter(plans));
      continue;
    }
    if (near && index.clustered && !request.hint) continue;
    auto plan = index_plan(request, i, request.hint.has_value());
    if (plan) plans.push_back(std::move(*plan));
  }
  std::stable_sort(plans.begin(), plans.end(), better);
  return plans;
}

/// The filter says what the first field is, not only what it is not.
bool looks_up(const Plan& plan) {
  return plan.access == Plan::Access::kIdLookup || (!plan.intervals.empty() && !plan.by_exclusion());
}

/// The best way for each clause of an $or: nothing when one of them has none. `in_order`: each in the order of the sort.
std::vector<Plan> best_branches(const PlanRequest& request, std::span<const std::shared_ptr<const FilterTree>> clauses, bool in_order) {
  std::vector<Plan> branches;
  for (const auto& clause : clauses) {
    PlanRequest one = request;
    one.filter = clause.get();
    if (!in_order) one.sort = nullptr;
    std::vector<Plan> plans = single_plans(one);
    const auto fits = [&](const Plan& plan) {
      if (!in_order) return looks_up(plan);
      return plan.access == Plan::Access::kIndexScan && looks_up(plan) && !plan.sort_fields.empty();
    };
    const auto best = std::ranges::find_if(plans, fits);
    if (best == plans.end()) return {};
    branches.push_back(std::move(*best));
    Plan& branch = branches.back();
    branch.clause = clause;
    // Rows are asked the whole filter, so that the keys must say all that is in it.
    if (branch.covered) branch.covered = !request.key_alone && is_covered(request, branch);
  }
  return branches;
}

/// A range of the only field that all branches look at, and the same of the next one: one scan with several ranges, in order.
std::optional<Plan> as_one_scan(const PlanRequest& request, const std::vector<Plan>& branches) {
  const Plan& first = branches.front();
  std::vector<Interval> intervals;
  for (const Plan& branch : branches) {
    const bool alike = branch.access == Plan::Access::kIndexScan && branch.index == first.index && branch.intervals.size() == 1 && branch.later.empty() &&
                       request.indexes[branch.index].wildcard == nullptr && branch.intervals[0].form == KeyForm::kValue &&
                       branch.intervals[0].collation == nullptr;
    if (!alike) return std::nullopt;
    std::ranges::copy(branch.intervals[0].intervals, std::back_inserter(intervals));
  }
  const IndexDescription& index = request.indexes[first.index];
  Plan plan{.access = Plan::Access::kIndexScan, .index = first.index};
  plan.intervals.push_back({united(std::move(intervals)), index.fields[0].direction});
  const bool sorts = request.sort != nullptr && !request.sort->empty();
  auto order = sorts ? serves_sort(index, plan.intervals, *request.sort) : std::nullopt;
  plan.needs_sort = sorts && !order;
  if (order) {
    plan.backward = order->backward;
    plan.sort_fields = std::move(order->fields);
  }
  plan.may_repeat = index.multikey;
  for (const Plan& branch : branches) plan.without_arrays |= branch.without_arrays;
  plan.covered = is_covered(request, plan);
  plan.exact = std::ranges::all_of(branches, &Plan::exact);
  auto in_turns = plan.needs_sort ? plan_in_turns(plan, index, *request.sort) : std::nullopt;
  return in_turns ? std::move(in_turns) : std::optional<Plan>(std::move(plan));
}

/// Each $or is planned with all that stands beside it: of very many the first ones have to do.
constexpr std::size_t kMostLookedAt = 4000;

/// Ways through an index for each clause of an $or. Two branches that are equally good are less than one index that is.
void add_unions(const PlanRequest& request, std::vector<Plan>& plans) {
  const bool sorts = request.sort != nullptr && !request.sort->empty();
  const auto lowest = [](const std::vector<Plan>& branches) {
    return std::ranges::min_element(branches, {}, &Plan::score)->score;
  };
  std::size_t looked_at = 0;
  for (const std::uint32_t choice : choices_of(*request.filter)) {
    const std::size_t nodes = request.filter->nodes.size();
    if (looked_at > 0 && looked_at + nodes > kMostLookedAt) return;
    looked_at += nodes;
    const auto clauses = clauses_of(*request.filter, choice);
    std::vector<Plan> branches = best_branches(request, clauses, false);
    if (branches.empty()) continue;
    const std::uint32_t promise = lowest(branches) - 1;
    if (auto one = as_one_scan(request, branches)) {
      one->score = promise;
      plans.push_back(std::move(*one));
      continue;
    }
    std::vector<Plan> ordered;
    if (sorts && clauses.size() <= kMaxMergedBranches) ordered = best_branches(request, clauses, true);
    if (!ordered.empty()) {
      Plan merged{.access = Plan::Access::kUnion, .branches = std::move(ordered), .merges = true};
      merged.score = lowest(merged.branches) - 1;
      note_branches(merged);
      plans.push_back(std::move(merged));
    }
    Plan plan{.access = Plan::Access::kUnion, .needs_sort = sorts, .branches = std::move(branches)};
    plan.score = promise;
    note_branches(plan);
    plans.push_back(std::move(plan));
  }
}

/// What is known of a field is only what it is not: worth a trial where nothing better is known, of a few.
void drop_poor(std::vector<Plan>& plans) {
  constexpr std::size_t kWorthTrying = 4;
  const auto is_poor = [](const Plan& plan) { return plan.by_exclusion() && plan.sort_fields.empty(); };
  const auto is_good = [](const Plan& plan) { return plan.access == Plan::Access::kUnion || looks_up(plan); };
  std::size_t kept = std::ranges::any_of(plans, is_good) ? 0 : kWorthTrying;
  std::erase_if(plans, [&](const Plan& plan) { return is_poor(plan) && (kept == 0 || kept-- == 0); });
}

/// What is farther away than the farthest, of an index that could tell.
bool asks_for_nowhere(const PlanRequest& request) {
  const geo::NearQuery& near = *request.filter->near;
  const auto serves = [&](const IndexDescription& index) {
    return !index.hidden && serves_near(index, *request.filter) && serves_filter(index, *request.filter);
  };
  return near.least() > near.most() && std::ranges::any_of(request.indexes, serves);
}

}  // namespace

std::optional<Plan> whole_or_narrowed(const PlanRequest& request, std::size_t position) {
  const IndexDescription& index = request.indexes[position];
  if (index.wildcard != nullptr) return std::nullopt;
  std::optional<Plan> plan = index_plan(request, position, true);
  const bool complete = request.hint || holds_all_matches(index, *request.filter, plan->intervals);
  return complete ? std::move(plan) : std::nullopt;
}

bool Plan::is_of_ranges() const {
  const auto index_of = [](const Plan& branch) { return branch.access == Access::kIdLookup ? 0 : branch.index; };
  return std::ranges::all_of(branches, [&](const Plan& branch) { return branch.later.empty() && index_of(branch) == index_of(branches.front()); });
}

std::vector<FieldIntervals> Plan::by_field() const {
  std::vector<FieldIntervals> all = intervals;
  all.insert(all.end(), later.begin(), later.end());
  return all;
}

std::vector<Plan> candidate_plans(const PlanRequest& request) {
  if (request.filter->text_must_hold && !request.hint && !request.natural_hint) return text_plans(request);
  std::vector<Plan> plans;
  const bool near = request.filter->near != nullptr;  // Only an index of places tells what is near.
  if (!near && asks_for_nothing(*request.filter)) {
    plans.push_back({.access = Plan::Access::kNothing, .needs_filter = false});
    return plans;
  }
  if (request.natural_hint) {
    if (!near) plans.push_back(collection_scan(request));
    return plans;
  }
  plans = single_plans(request);
  if (!plans.empty() && plans.front().access == Plan::Access::kIdLookup) return plans;
  if (plans.empty() && near && asks_for_nowhere(request)) plans.push_back({.access = Plan::Access::kNothing, .needs_filter = false});
  if (!near) add_unions(request, plans);
  std::stable_sort(plans.begin(), plans.end(), better);
  if (!request.hint) drop_poor(plans);
  if (!request.hint && !near) plans.push_back(collection_scan(request));
  return plans;
}

namespace {

std::string dump_access(const Plan& plan, const PlanRequest& request) {
  std::string text;
  if (plan.access == Plan::Access::kNothing) text = "EOF";
  if (plan.access == Plan::Access::kIdLookup) text = "IDHACK";
  if (plan.access == Plan::Access::kCollectionScan) text = "COLLSCAN";
  if (plan.access == Plan::Access::kIndexScan) {
    const IndexDescription& index = request.indexes[plan.index];
    text = index.clustered ? "CLUSTERED_IXSCAN" : "IXSCAN";
    text.append(" ").append(index.name);
    for (const FieldIntervals& field : plan.by_field()) {
      text += " {";
      for (const Interval& interval : field.intervals)
        text.append(&interval == field.intervals.data() ? "" : ", ").append(interval.text(field.collation));
      text += "}";
    }
    if (plan.backward) text += " backward";
  }
  return text;
}

}  // namespace

std::string dump(const Plan& plan, const PlanRequest& request) {
  std::string text = dump_access(plan, request);
  if (plan.access == Plan::Access::kUnion) {
    text = plan.merges ? "SORT_MERGE" : "OR";
    for (const Plan& branch : plan.branches) text.append(" (").append(dump_access(branch, request)).append(")");
  }
  if (plan.needs_filter) text += " FILTER";
  if (plan.needs_sort) text += " SORT";
  return text;
}

}  // namespace partita::query
