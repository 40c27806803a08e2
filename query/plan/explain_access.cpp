// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain_access.h"

#include <algorithm>

#include "query/keys/array_bits.h"
#include "query/match/regex_match.h"
#include "query/plan/covering.h"
#include "query/shard_key/shard_key.h"
#include "wire/bson/narrow_number.h"

namespace partita::query {

using bson::View;
using bson::Writer;

void write_passed(const Passed& passed, const PlanFigures& figures, Writer& out) {
  const auto [in, left] = passed;
  const std::int64_t end = figures.exhausted ? 1 : 0;
  const std::int64_t works = std::max(in, left) + end;
  add_number(out, "nReturned", left);
  add_number(out, "executionTimeMillisEstimate", figures.millis);
  add_number(out, "works", works);
  add_number(out, "advanced", left);
  add_number(out, "needTime", works - left - end);
  // Walks are not given up for others and taken up again: what that costs MongoDB is nothing here.
  for (const char* pause : {"needYield", "saveState", "restoreState"}) out.add(pause, 0);
  out.add("isEOF", static_cast<std::int32_t>(end));
}

namespace {

constexpr std::string_view kPathField = "$_path";  ///< What a wildcard's keys begin with.

/// As an index on the path that is looked at would have it; in fields before a wildcard alone, on no path.
void write_wildcard_pattern(const Telling& telling, Writer& pattern) {
  const std::size_t place = telling.index().wildcard_place();
  std::size_t i = 0;
  for (const bson::Field& field : telling.index().pattern) {
    if (i++ != place) {
      pattern.add(field);
      continue;
    }
    pattern.add(kPathField, 1);
    if (!telling.plan.wildcard_path.empty()) pattern.add(telling.plan.wildcard_path, field.value);
  }
}

void write_key_pattern(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  if (index.wildcard != nullptr) {
    Writer pattern = out.document("keyPattern");
    return write_wildcard_pattern(telling, pattern);
  }
  if (!index.pattern.empty()) return out.add("keyPattern", index.pattern);
  Writer pattern = out.document("keyPattern");
  for (const IndexDescription::Field& field : index.fields)
    pattern.add(field.path, field.direction == keys::Direction::kAscending ? 1 : -1);
}

/// Adds the prefixes of a dotted path, itself included, for which `wanted(prefix, parts)` holds.
template <class Wanted>
void write_prefixes(std::string_view path, Wanted&& wanted, Writer& out) {
  bson::ArrayWriter list = out.array(path);
  const FieldPath parts(path);
  for (std::size_t n = 1; n <= parts.size(); ++n) {
    if (wanted(parts.prefix(n), n)) list.push(parts.prefix(n));
  }
}

/// Of a hash, the number that clients see.
std::string shown(const Interval& interval, KeyForm form, const Collator* collation) {
  if (form != KeyForm::kHash) return interval.text(collation);
  const std::string hash = std::to_string(shown_hash(hash_of(interval.low.value, collation)));
  return "[" + hash + ", " + hash + "]";
}

/// Those of the keys: of a wildcard the path, and the value there if it is looked at.
std::vector<std::string_view> field_names(const Plan& plan, const IndexDescription& index) {
  std::vector<std::string_view> names;
  for (const IndexDescription::Field& field : index.fields) {
    const bool wildcard = field.form == KeyForm::kPathAndValue;
    names.push_back(wildcard ? kPathField : field.path);
    if (wildcard && !plan.wildcard_path.empty()) names.push_back(plan.wildcard_path);
  }
  return names;
}

}  // namespace

void write_bounds(const Plan& plan, const IndexDescription& index, Writer& bounds) {
  if (plan.given) return;  // Keys, and no intervals: MongoDB does not tell them either.
  const std::vector<std::string_view> names = field_names(plan, index);
  const std::vector<FieldIntervals> fields = plan.by_field();
  for (std::size_t i = 0; i < names.size(); ++i) {
    bson::ArrayWriter intervals = bounds.array(names[i]);
    if (i >= fields.size() || fields[i].intervals.empty()) {
      intervals.push("[MinKey, MaxKey]");
    } else {
      for (const Interval& interval : fields[i].intervals) intervals.push(shown(interval, fields[i].form, fields[i].collation));
    }
  }
}

namespace {

/// Of a union of clauses: all that they ask is settled within each of them.
bool settles_clauses(const Telling& telling) {
  return std::ranges::all_of(telling.plan.branches, [&](const Plan& branch) {
    if (branch.clause == nullptr || !Telling{branch, telling.planned, telling.request, nullptr}.by_index()) return false;
    PlanRequest own = telling.planned;
    own.filter = branch.clause.get();
    return leaves_nothing(own, branch);
  });
}

}  // namespace

void write_filter(const Telling& telling, Writer& out) {
  if (!telling.plan.needs_filter || telling.request.filter.empty()) return;
  std::vector<const FilterNode*> settled;
  if (telling.is_union()) {
    if (settles_clauses(telling)) return;
    const Plan& first = telling.plan.branches.front();
    if (first.clause == nullptr && first.access == Plan::Access::kIndexScan) settled = settled_conditions(telling.planned, first);
  } else if (telling.by_index()) {
    settled = settled_conditions(telling.planned, telling.plan);
  }
  explain_rest(telling.request.filter, settled, "filter", out);
}

namespace {

/// Under each field the parts of its path that are arrays in some document.
void write_multikey_paths(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  Writer shown = out.document("multiKeyPaths");
  if (index.wildcard != nullptr) {
    const std::string_view path = telling.plan.wildcard_path;
    const auto is_array = [&](std::string_view prefix, std::size_t) { return (index.array_bits & WildcardScope::array_bit(prefix)) != 0; };
    for (const std::string_view name : field_names(telling.plan, index)) {
      if (name == path) {
        write_prefixes(path, is_array, shown);
      } else {
        shown.array(name);
      }
    }
    return;
  }
  std::vector<std::string_view> paths;
  for (const IndexDescription::Field& field : index.fields) paths.push_back(field.path);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool any = (index.array_bits >> i & 1) != 0;
    const auto is_array = [&](std::string_view, std::size_t parts) { return any && (index.array_bits & keys::part_bit(paths, i, parts)) != 0; };
    write_prefixes(paths[i], is_array, shown);
  }
}

bool is_multikey(const Telling& telling) {
  const IndexDescription& index = telling.index();
  if (index.wildcard == nullptr) return index.multikey;
  const std::string_view path = telling.plan.wildcard_path;
  return !path.empty() && (index.array_bits & WildcardScope::array_bits(path)) != 0;
}

bool is_hashed(const IndexDescription& index) {
  return std::ranges::any_of(index.fields, [](const IndexDescription::Field& field) { return field.form == KeyForm::kHash; });
}

}  // namespace

void write_index(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  write_key_pattern(telling, out);
  out.add("indexName", index.name);
  if (const Collator* collation = index.fields[0].collation; collation != nullptr) out.add("collation", collation->spec());
  out.add("isMultiKey", is_multikey(telling));
  if (!is_hashed(index) && index.text == nullptr) write_multikey_paths(telling, out);
  out.add("isUnique", index.unique);
  out.add("isSparse", index.sparse);
  out.add("isPartial", index.filter != nullptr);
  out.add("indexVersion", 2);
}

namespace {

/// One stretch of keys is all that is looked at.
bool counts_keys(const Telling& telling) {
  const auto points = [](const FieldIntervals& field) { return field.intervals.size() == 1; };
  return telling.request.use == PlanUse::kCount && telling.plan.exact && telling.plan.later.empty() && std::ranges::all_of(telling.plan.intervals, points);
}

}  // namespace

std::string_view access_name(const Telling& telling) {
  switch (telling.plan.access) {
    case Plan::Access::kNothing:
      return "EOF";
    case Plan::Access::kIdLookup:
      return "IDHACK";
    case Plan::Access::kCollectionScan:
      return "COLLSCAN";
    case Plan::Access::kIndexScan:
      if (telling.clustered()) return "CLUSTERED_IXSCAN";
      if (telling.plan.distinct_fields != 0) return "DISTINCT_SCAN";
      return counts_keys(telling) ? "COUNT_SCAN" : "IXSCAN";
    case Plan::Access::kUnion:
      return telling.plan.merges ? "SORT_MERGE" : "OR";
  }
  return "";
}

namespace {

/// What is asked of keys, in the form of a filter.
void write_conditions(const std::vector<const FilterNode*>& conditions, Writer& out) {
  const auto add = [](const FilterNode& node, Writer& to) {
    Writer condition = to.document(node.path.text());
    if (node.field_operator->bound != Bound::kRegex || node.predicate == nullptr) return condition.add(node.field_operator->name, node.operand);
    const bson::Regex regex = static_cast<const RegexMatch&>(*node.predicate).source().as_regex();  // With what stands beside it.
    condition.add(node.field_operator->name, regex.pattern);
    if (!regex.options.empty()) condition.add("$options", regex.options);
  };
  Writer filter = out.document("filter");
  if (conditions.size() == 1) return add(*conditions.front(), filter);
  bson::ArrayWriter all = filter.array("$and");
  for (const FilterNode* node : conditions) {
    Writer one = all.document();
    add(*node, one);
  }
}

void write_walk(const Telling& telling, Writer& out) {
  const Plan& plan = telling.plan;
  if (!telling.fetches() && !plan.exact) write_filter(telling, out);
  if (telling.fetches() && !plan.key_conditions.empty()) write_conditions(plan.key_conditions, out);
  if (plan.access == Plan::Access::kIdLookup) return;
  if (telling.by_index()) write_index(telling, out);
  if (telling.clustered()) out.add("indexName", telling.index().name);
  out.add("direction", plan.backward ? "backward" : "forward");
  if (plan.access != Plan::Access::kIndexScan) return;
  Writer bounds = out.document("indexBounds");
  write_bounds(plan, telling.index(), bounds);
}

/// What a branch did by itself; of the time it has the share that it has of the keys.
PlanFigures figures_of(const PlanFigures& all, std::size_t branch) {
  const WalkFigures& walk = all.branches[branch];
  PlanFigures own{.keys = walk.keys, .documents = walk.documents, .matched = walk.shown, .exhausted = all.exhausted};
  own.millis = all.keys == 0 ? 0 : all.millis * own.keys / all.keys;
  return own;
}

void write_branch_figures(const Telling& telling, Writer& out) {
  add_number(out, "keysExamined", telling.figures->keys);
  if (!telling.by_index()) add_number(out, "docsExamined", telling.figures->documents);
}

/// What each branch walks over and, where that was counted, how far it came.
void write_branches(const Telling& telling, Writer& out) {
  if (!telling.fetches() && !telling.plan.exact) write_filter(telling, out);
  if (telling.plan.merges && !telling.request.sort.empty()) out.add("sortPattern", telling.request.sort);
  bson::ArrayWriter branches = out.array("inputStages");
  const std::vector<Plan>& plans = telling.plan.branches;
  const bool counted = telling.figures != nullptr && telling.figures->branches.size() == plans.size();
  for (std::size_t i = 0; i < plans.size(); ++i) {
    Plan branch{plans[i]};
    branch.needs_filter = false;  // It is asked of the rows of all branches.
    const PlanFigures own = counted ? figures_of(*telling.figures, i) : PlanFigures();
    const Telling one{branch, telling.planned, telling.request, counted ? &own : nullptr};
    Writer shown = branches.document();
    shown.add("stage", access_name(one));
    if (counted) write_passed({own.keys, own.matched}, own, shown);
    write_walk(one, shown);
    if (counted) write_branch_figures(one, shown);
  }
}

/// Rows of all branches, before those that came twice were dropped.
std::int64_t shown_by_branches(const PlanFigures& figures) {
  if (figures.branches.empty()) return figures.keys;
  std::int64_t shown = 0;
  for (const WalkFigures& branch : figures.branches) shown += branch.shown;
  return shown;
}

}  // namespace

void write_access(const Telling& telling, Writer& out) {
  const Plan& plan = telling.plan;
  if (plan.access == Plan::Access::kNothing) return;
  if (telling.is_union()) return write_branches(telling, out);
  write_walk(telling, out);
}

void write_access_figures(const Telling& telling, Writer& out) {
  const PlanFigures& figures = *telling.figures;
  if (telling.plan.access == Plan::Access::kNothing) return;
  if (telling.plan.access != Plan::Access::kCollectionScan) add_number(out, "keysExamined", figures.keys);
  if (!telling.fetches()) add_number(out, "docsExamined", figures.documents);
  if (telling.plan.may_repeat || telling.is_union()) {
    const std::int64_t tested = shown_by_branches(figures);
    add_number(out, "dupsTested", tested);
    add_number(out, "dupsDropped", tested - (telling.fetches() ? figures.documents : figures.matched));
  }
}

}  // namespace partita::query
