// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain.h"

#include <algorithm>

#include "query/keys/array_bits.h"
#include "query/plan/clauses.h"
#include "query/plan/explain_text.h"
#include "query/shard_key/shard_key.h"
#include "wire/bson/narrow_number.h"
#include "wire/saturating.h"

namespace partita::query {
namespace {

using bson::View;
using bson::Writer;

constexpr std::int32_t kSortMemory = 100 * 1024 * 1024;

/// The stages from the outermost in: each is a document inside the one before.
enum class Stage : std::uint8_t { kUse, kSubplan, kLimit, kSkip, kProjection, kSort, kBesideText, kText, kFetch, kAccess };

bool is_clustered(const Plan& plan, const PlanRequest& planned) { return planned.indexes[plan.index].clustered; }

/// One plan being told: what all its stages draw on.
struct Telling {
  const Plan& plan;
  const PlanRequest& planned;
  const ExplainRequest& request;
  const PlanFigures* figures;

  bool is_union() const { return plan.access == Plan::Access::kUnion; }
  /// The rows are entries of indexes, of some branches at least.
  bool by_index() const {
    if (is_union()) return std::ranges::any_of(plan.branches, [&](const Plan& branch) { return Telling{branch, planned, request, figures}.by_index(); });
    return plan.access == Plan::Access::kIndexScan && !is_clustered(plan, planned);
  }
  /// Somebody reads the documents that the entries point at.
  bool fetches() const { return by_index() && !plan.covered && !(request.use == PlanUse::kCount && plan.exact); }
  bool clustered() const { return plan.access == Plan::Access::kIndexScan && is_clustered(plan, planned); }
  bool by_text() const { return is_by_text(plan, planned); }
  const IndexDescription& index() const { return planned.indexes[plan.index]; }
};

/// MongoDB plans the clauses of a filter that is nothing but an $or each by itself, and says so.
bool is_planned_by_clauses(const PlanRequest& planned) {
  return !planned.hint && !planned.natural_hint && !planned.indexes.empty() && is_choice_alone(*planned.filter);
}

std::vector<Stage> stages_of(const Telling& telling) {
  const ExplainRequest& request = telling.request;
  const bool sorts = telling.plan.needs_sort && !request.sort.empty();  // A pipeline tells its $sort by itself.
  std::vector<Stage> stages;
  const bool of_rows = request.use == PlanUse::kRows;
  if (!of_rows && !request.projection.empty()) stages.push_back(Stage::kProjection);
  if (!of_rows) stages.push_back(Stage::kUse);
  if (is_planned_by_clauses(telling.planned)) stages.push_back(Stage::kSubplan);
  if (of_rows && !request.projection.empty()) stages.push_back(Stage::kProjection);
  if (request.use != PlanUse::kCount) {  // A count skips and limits by itself.
    // Writes stop at the first document by themselves; only an order has to be told.
    const bool limits = request.use == PlanUse::kRows || !request.sort.empty();
    if (request.limit != 0 && limits && !sorts) stages.push_back(Stage::kLimit);
    if (request.skip != 0) stages.push_back(Stage::kSkip);
  }
  if (sorts) stages.push_back(Stage::kSort);
  if (telling.by_text()) {
    if (!beside_text(request.filter).view().empty()) stages.push_back(Stage::kBesideText);
    stages.push_back(Stage::kText);
  }
  if (telling.fetches()) stages.push_back(Stage::kFetch);
  stages.push_back(Stage::kAccess);
  return stages;
}

/// What went into a stage and what came out.
struct Passed {
  std::int64_t in = 0;
  std::int64_t out = 0;
};

Passed passed(Stage stage, const Telling& telling) {
  const PlanFigures& figures = *telling.figures;
  const std::int64_t pulled = figures.skipped + figures.returned;
  switch (stage) {
    case Stage::kUse:
      return {figures.returned, telling.request.answers_rows() ? figures.returned : 0};
    case Stage::kSubplan:
    case Stage::kLimit:
    case Stage::kProjection:
      return {figures.returned, figures.returned};
    case Stage::kSkip:
      return {pulled, figures.returned};
    case Stage::kSort:
      return {figures.matched, pulled};
    case Stage::kBesideText:
      return {figures.matched, figures.matched};
    case Stage::kText:
      return {figures.documents, figures.matched};
    case Stage::kFetch:
      return {figures.documents, telling.by_text() ? figures.documents : figures.matched};
    case Stage::kAccess:
      if (telling.fetches()) return {figures.keys, figures.documents};
      return {telling.by_index() ? figures.keys : figures.documents, figures.matched};
  }
  return {};
}

/// A unit of work is a row that was looked at, or finding that there are no more.
void write_passed(Stage stage, const Telling& telling, Writer& out) {
  const auto [in, left] = passed(stage, telling);
  const std::int64_t end = telling.figures->exhausted ? 1 : 0;
  const std::int64_t works = std::max(in, left) + end;
  add_number(out, "nReturned", left);
  add_number(out, "works", works);
  add_number(out, "advanced", left);
  add_number(out, "needTime", works - left - end);
  out.add("isEOF", static_cast<std::int32_t>(end));
}

constexpr std::string_view kPathField = "$_path";  ///< What a wildcard's keys begin with.

void write_key_pattern(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  if (index.wildcard != nullptr) {
    Writer pattern = out.document("keyPattern");
    pattern.add(kPathField, 1);
    pattern.add(telling.plan.wildcard_path, 1);
    return;
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

void write_bounds(const Plan& plan, const IndexDescription& index, Writer& out) {
  Writer bounds = out.document("indexBounds");
  if (plan.given) return;  // Keys, and no intervals: MongoDB does not tell them either.
  std::vector<std::string_view> names;
  for (const IndexDescription::Field& field : index.fields) names.push_back(field.path);
  if (index.wildcard != nullptr) names = {kPathField, plan.wildcard_path};
  for (std::size_t i = 0; i < names.size(); ++i) {
    bson::ArrayWriter intervals = bounds.array(names[i]);
    if (i >= plan.intervals.size()) {
      intervals.push("[MinKey, MaxKey]");
    } else {
      for (const Interval& interval : plan.intervals[i].intervals) intervals.push(shown(interval, plan.intervals[i].form, plan.intervals[i].collation));
    }
  }
}

void write_filter(const Telling& telling, Writer& out) {
  if (telling.plan.needs_filter && !telling.request.filter.empty()) explain_filter(telling.request.filter, "filter", out);
}

/// Under each field the parts of its path that are arrays in some document.
void write_multikey_paths(const Telling& telling, Writer& out) {
  const IndexDescription& index = telling.index();
  Writer shown = out.document("multiKeyPaths");
  if (index.wildcard != nullptr) {
    const std::string_view path = telling.plan.wildcard_path;
    shown.array(kPathField);
    write_prefixes(path, [&](std::string_view prefix, std::size_t) { return (index.array_bits & WildcardScope::array_bit(prefix)) != 0; }, shown);
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
  return (index.array_bits & WildcardScope::array_bits(telling.plan.wildcard_path)) != 0;
}

bool is_hashed(const IndexDescription& index) {
  return std::ranges::any_of(index.fields, [](const IndexDescription::Field& field) { return field.form == KeyForm::kHash; });
}

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

/// One stretch of keys is all that is looked at.
bool counts_keys(const Telling& telling) {
  const auto points = [](const FieldIntervals& field) { return field.intervals.size() == 1; };
  return telling.request.use == PlanUse::kCount && telling.plan.exact && std::ranges::all_of(telling.plan.intervals, points);
}

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

/// What is asked of keys, in the form of a filter.
void write_conditions(const std::vector<const FilterNode*>& conditions, Writer& out) {
  const auto add = [](const FilterNode& node, Writer& to) { to.document(node.path.text()).add(node.field_operator->name, node.operand); };
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
  if (plan.access == Plan::Access::kIndexScan) write_bounds(plan, telling.index(), out);
}

/// What each branch walks over. How many rows each of them gave is not counted.
void write_branches(const Telling& telling, Writer& out) {
  if (!telling.fetches() && !telling.plan.exact) write_filter(telling, out);
  if (telling.plan.merges && !telling.request.sort.empty()) out.add("sortPattern", telling.request.sort);
  bson::ArrayWriter branches = out.array("inputStages");
  for (const Plan& plan : telling.plan.branches) {
    Plan branch{plan};
    branch.needs_filter = false;  // It is asked of the rows of all branches.
    const Telling one{branch, telling.planned, telling.request, nullptr};
    Writer shown = branches.document();
    shown.add("stage", access_name(one));
    write_walk(one, shown);
  }
}

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
    add_number(out, "dupsTested", figures.keys);
    add_number(out, "dupsDropped", figures.keys - figures.documents);
  }
}

std::string_view use_name(PlanUse use) {
  return use == PlanUse::kCount ? "COUNT" : use == PlanUse::kUpdate ? "UPDATE" : "DELETE";
}

void write_use_figures(const Telling& telling, Writer& out) {
  const PlanFigures& figures = *telling.figures;
  switch (telling.request.use) {
    case PlanUse::kRows:
      break;
    case PlanUse::kCount:
      add_number(out, "nCounted", figures.returned);
      add_number(out, "nSkipped", figures.skipped);
      break;
    case PlanUse::kUpdate:
      add_number(out, "nMatched", figures.returned);
      add_number(out, "nWouldModify", figures.modified);
      add_number(out, "nWouldUpsert", figures.upserted);
      break;
    case PlanUse::kDelete:
      add_number(out, "nWouldDelete", figures.returned);
      break;
  }
}

/// Top-level fields that are kept or dropped as they are, which MongoDB tells apart from everything richer.
bool is_simple(View projection) {
  return std::ranges::all_of(projection, [](const bson::Field& field) {
    return (field.value.is_number() || field.value.is_bool()) && field.name.find('.') == std::string_view::npos;
  });
}

std::string_view name_of(Stage stage, const Telling& telling) {
  switch (stage) {
    case Stage::kUse:
      return use_name(telling.request.use);
    case Stage::kSubplan:
      return "SUBPLAN";
    case Stage::kLimit:
      return "LIMIT";
    case Stage::kSkip:
      return "SKIP";
    case Stage::kProjection:
      if (!is_simple(telling.request.projection)) return "PROJECTION_DEFAULT";
      if (!telling.plan.covered) return "PROJECTION_SIMPLE";
      return telling.is_union() ? "PROJECTION_DEFAULT" : "PROJECTION_COVERED";  // So MongoDB says, too.
    case Stage::kSort:
      return "SORT";
    case Stage::kBesideText:
      return "FETCH";
    case Stage::kText:
      return "TEXT_MATCH";
    case Stage::kFetch:
      return telling.by_text() && asks_for_score(telling.request) ? "TEXT_OR" : "FETCH";
    case Stage::kAccess:
      return access_name(telling);
  }
  return "";
}

void write_sort(const ExplainRequest& request, Writer& out) {
  out.add("sortPattern", request.sort);
  out.add("memLimit", kSortMemory);
  if (request.limit != 0) out.add("limitAmount", saturating_add(static_cast<std::int64_t>(request.limit), static_cast<std::int64_t>(request.skip)));
  out.add("type", "simple");
}

void write_stage(Stage stage, const Telling& telling, Writer& out) {
  const ExplainRequest& request = telling.request;
  out.add("stage", name_of(stage, telling));
  if (telling.figures != nullptr) write_passed(stage, telling, out);
  if (stage == Stage::kUse && telling.figures != nullptr) write_use_figures(telling, out);
  if (stage == Stage::kLimit) out.add("limitAmount", static_cast<std::int64_t>(request.limit));
  if (stage == Stage::kSkip) out.add("skipAmount", static_cast<std::int64_t>(request.skip));
  if (stage == Stage::kProjection) out.add("transformBy", request.projection);
  if (stage == Stage::kSort) write_sort(request, out);
  if (stage == Stage::kBesideText) explain_filter(beside_text(request.filter).view(), "filter", out);
  if (stage == Stage::kText) explain_text_match(telling.plan, telling.planned, out);
  if (stage == Stage::kFetch && !telling.by_text()) write_filter(telling, out);
  if (stage == Stage::kFetch && telling.figures != nullptr) add_number(out, "docsExamined", telling.figures->documents);
  if (stage == Stage::kAccess) write_access(telling, out);
  if (stage == Stage::kAccess && telling.figures != nullptr) write_access_figures(telling, out);
}

/// An operator's document, or anything else that is no plain value to compare with.
bool is_condition(bson::Value value) {
  if (value.is(bson::Type::kRegex)) return true;
  if (!value.is_document()) return false;
  const View inside = value.as_document();
  return !inside.empty() && inside.begin()->name.starts_with('$');
}

void write_condition(const bson::Field& field, Writer& out) {
  if (field.name.starts_with('$') || is_condition(field.value)) {
    out.add(field);
  } else {
    out.document(field.name).add("$eq", field.value);
  }
}

}  // namespace

void explain_plan(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request,
                  const PlanFigures* figures, std::string_view name, Writer& out) {
  const Telling telling{plan, planned, request, figures};
  std::vector<Writer> open;
  const std::vector<Stage> stages = stages_of(telling);
  open.reserve(stages.size());
  for (const Stage stage : stages) {
    open.push_back(open.empty() ? out.document(name) : open.back().document("inputStage"));
    write_stage(stage, telling, open.back());
  }
  while (!open.empty()) open.pop_back();  // From the inside out.
}

void explain_filter(View filter, std::string_view name, Writer& out) {
  Writer shown = out.document(name);
  if (filter.count() < 2) {
    for (const bson::Field& field : filter) write_condition(field, shown);
    return;
  }
  bson::ArrayWriter conditions = shown.array("$and");
  for (const bson::Field& field : filter) {
    Writer condition = conditions.document();
    write_condition(field, condition);
  }
}

}  // namespace partita::query
