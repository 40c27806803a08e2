// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain.h"

#include <algorithm>

#include "query/plan/clauses.h"
#include "query/plan/explain_access.h"
#include "query/plan/explain_near.h"
#include "wire/bson/compare.h"
#include "wire/bson/narrow_number.h"
#include "wire/saturating.h"

namespace partita::query {
namespace {

using bson::View;
using bson::Writer;

/// The stages from the outermost in: each is a document inside the one before.
enum class Stage : std::uint8_t { kUse, kSubplan, kLimit, kSkip, kProjection, kSort, kBeside, kText, kNear, kFetch, kAccess };

/// MongoDB plans the clauses of a filter that is nothing but an $or each by itself, and says so.
bool is_planned_by_clauses(const PlanRequest& planned) {
  return !planned.hint && !planned.natural_hint && !planned.indexes.empty() && is_choice_alone(*planned.filter);
}

/// What is asked of rows beside their words or places.
bson::Document beside(const Telling& telling) {
  return telling.by_text() ? beside_text(telling.request.filter) : beside_near(telling.request.filter);
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
  if ((telling.by_text() || telling.by_near()) && !beside(telling).view().empty()) stages.push_back(Stage::kBeside);
  if (telling.by_near()) {
    stages.push_back(Stage::kNear);
    return stages;
  }
  if (telling.by_text()) stages.push_back(Stage::kText);
  if (telling.fetches()) stages.push_back(Stage::kFetch);
  stages.push_back(Stage::kAccess);
  return stages;
}

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
    case Stage::kBeside:
      return telling.by_near() ? Passed{pulled, pulled} : Passed{figures.matched, figures.matched};
    case Stage::kNear:
      return {figures.documents, pulled};
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
    case Stage::kBeside:
      return "FETCH";
    case Stage::kNear:
      return near_name(telling);
    case Stage::kText:
      return "TEXT_MATCH";
    case Stage::kFetch:
      return telling.by_text() && asks_for_score(telling.request) ? "TEXT_OR" : "FETCH";
    case Stage::kAccess:
      return access_name(telling);
  }
  return "";
}

void write_sort(const Telling& telling, Writer& out) {
  const ExplainRequest& request = telling.request;
  out.add("sortPattern", request.sort);
  add_number(out, "memLimit", static_cast<std::int64_t>(request.sort_memory));
  if (request.limit != 0) out.add("limitAmount", saturating_add(static_cast<std::int64_t>(request.limit), static_cast<std::int64_t>(request.skip)));
  out.add("type", "simple");
  if (telling.figures == nullptr || !telling.figures->sorted) return;
  explain_sorted(*telling.figures->sorted, out);
}

void write_stage(Stage stage, const Telling& telling, Writer& out) {
  const ExplainRequest& request = telling.request;
  out.add("stage", name_of(stage, telling));
  if (telling.figures != nullptr) write_passed(passed(stage, telling), *telling.figures, out);
  if (stage == Stage::kUse && telling.figures != nullptr) write_use_figures(telling, out);
  if (stage == Stage::kLimit) out.add("limitAmount", static_cast<std::int64_t>(request.limit));
  if (stage == Stage::kSkip) out.add("skipAmount", static_cast<std::int64_t>(request.skip));
  if (stage == Stage::kProjection) out.add("transformBy", request.projection);
  if (stage == Stage::kSort) write_sort(telling, out);
  if (stage == Stage::kBeside) explain_filter(beside(telling).view(), "filter", out);
  if (stage == Stage::kNear) write_near(telling, out);
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

void explain_sorted(const SortFigures& sorted, Writer& out) {
  add_number(out, "totalDataSizeSorted", static_cast<std::int64_t>(sorted.bytes));
  out.add("usedDisk", sorted.spills != 0);
  add_number(out, "spills", static_cast<std::int64_t>(sorted.spills));
}

namespace {

/// What is left of a filter, as conditions that all hold.
class Rest {
 public:
  explicit Rest(std::span<const FilterNode* const> settled) : settled_(settled) {}
  void add(View filter);
  void write(std::string_view name, Writer& out) const;

 private:
  /// An operator of a field, or all of a field of the filter, where that has no path.
  struct Condition {
    std::string_view path;
    bson::Field field;
  };
  bool is_settled(std::string_view path, std::string_view name, bson::Value operand) const;
  void add_field(const bson::Field& field);
  static void write(const Condition& condition, Writer& out);

  std::span<const FilterNode* const> settled_;
  std::vector<Condition> conditions_;
};

bool Rest::is_settled(std::string_view path, std::string_view name, bson::Value operand) const {
  return std::ranges::any_of(settled_, [&](const FilterNode* node) {
    return node->path.text() == path && node->field_operator->name == name && bson::equal(node->operand, operand);
  });
}

void Rest::add_field(const bson::Field& field) {
  if (field.name == "$comment") return;  // Asks nothing.
  if (field.name.starts_with('$')) return conditions_.push_back({{}, field});
  const bool pattern = field.value.is(bson::Type::kRegex);
  if (pattern || !is_condition(field.value)) {
    if (!is_settled(field.name, pattern ? "$regex" : "$eq", field.value)) conditions_.push_back({{}, field});
    return;
  }
  const View operators = field.value.as_document();
  const bson::Value pattern_of_options = operators["$regex"];
  const auto settles = [&](const bson::Field& one) {
    if (one.name == "$options") return is_settled(field.name, "$regex", pattern_of_options);
    return is_settled(field.name, one.name, one.value);
  };
  if (std::ranges::none_of(operators, settles)) return conditions_.push_back({{}, field});
  for (const bson::Field& one : operators) {
    if (!settles(one)) conditions_.push_back({field.name, one});
  }
}

void Rest::add(View filter) {
  std::vector<View> pending{filter};
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const View part = pending[i];
    for (const bson::Field& field : part) {
      if (field.name != "$and") {
        add_field(field);
        continue;
      }
      for (const bson::Field& one : field.value.as_document()) pending.push_back(one.value.as_document());
    }
  }
}

void Rest::write(const Condition& condition, Writer& out) {
  if (condition.path.empty()) return write_condition(condition.field, out);
  out.document(condition.path).add(condition.field);
}

void Rest::write(std::string_view name, Writer& out) const {
  if (conditions_.empty()) return;
  Writer shown = out.document(name);
  if (conditions_.size() == 1) return write(conditions_.front(), shown);
  bson::ArrayWriter all = shown.array("$and");
  for (const Condition& condition : conditions_) {
    Writer one = all.document();
    write(condition, one);
  }
}

}  // namespace

void explain_rest(View filter, std::span<const FilterNode* const> settled, std::string_view name, Writer& out) {
  if (settled.empty()) return explain_filter(filter, name, out);
  Rest rest(settled);
  rest.add(filter);
  rest.write(name, out);
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
