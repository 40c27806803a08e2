// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/project.h"

#include <algorithm>

#include "query/match/operator.h"
#include "query/stages/row_builder.h"

namespace partita::query {
namespace {

class ProjectStage : public RecordSource {
 public:
  ProjectStage(const Projection& projection, Source input) : projection_(projection), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    CHECK_OK(input_->pull(out));
    rows_.clear();
    for (const Row& row : out.rows) {
      bson::Writer document = rows_.next(row.key);
      CHECK_OK(projection_.apply(row.document, document, out.arena));
    }
    CHECK_OK(rows_.hand_out(out));
    return made_batch(rows_.memory());
  }

 private:
  const Projection& projection_;
  Source input_;
  RowBuilder rows_;
};

std::string context_of(std::string_view stage) { return "Invalid " + std::string(stage) + " :: caused by :: "; }

Result<std::unique_ptr<const StagePlan>> plan(std::string_view stage, Result<Projection> projection) {
  if (!projection.ok()) return std::move(projection).status().with_context(context_of(stage));
  return std::make_unique<ProjectPlan>(std::move(*projection));
}

Result<std::unique_ptr<const StagePlan>> parse_project(const StageArgs& args) {
  if (!args.specification.is_document()) return error(Code{15969}, "$project specification must be an object");
  if (args.specification.as_document().empty())
    return error(Code{51272}, "Invalid $project :: caused by :: projection specification must have at least one field");
  return plan(args.name, Projection::parse(args.specification.as_document(), args.context));
}

Result<std::unique_ptr<const StagePlan>> parse_add_fields(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{40272}, args.name, " specification stage must be an object, got ",
                 args.specification.type_name());
  return plan(args.name, Projection::parse_additions(args.specification.as_document(), args.context));
}

Result<std::unique_ptr<const StagePlan>> parse_unset(const StageArgs& args) {
  const bson::Value specification = args.specification;
  if (!specification.is_string() && !specification.is_array())
    return error(Code{31002}, "$unset specification must be a string or an array");
  std::vector<std::string_view> paths;
  for (const bson::Value path : list_arguments(specification)) {
    if (!path.is_string())
      return error(Code{31120}, "$unset specification must be a string or an array containing only string values");
    paths.push_back(path.as_string());
  }
  if (paths.empty())
    return error(Code{31119}, "$unset specification must be a string or an array with at least one field");
  return plan(args.name, Projection::drop(paths));
}

using Register = RegisterEntry<StageKind>;

const Register kProject{{
    .name = "$project",
    .summary = "Keeps, drops or computes fields.",
    .split = Split::kEach,
    .parse = parse_project,
    .examples = {{"{$project: {a: 1, b: {$add: ['$a', 1]}}}", "[{_id: 1, a: 1, c: 1}]", "[{_id: 1, a: 1, b: 2}]"},
                 {"{$project: {c: 0}}", "[{_id: 1, a: 1, c: 1}]", "[{_id: 1, a: 1}]"},
                 {"{$project: {}}", "[]", "error 51272"},
                 {"{$project: {a: 1, b: 0}}", "[]", "error 31254"}},
}};
const Register kAddFields{{
    .name = "$addFields",
    .summary = "Adds fields, or replaces those that are there, by the values of expressions.",
    .split = Split::kEach,
    .parse = parse_add_fields,
    .examples = {{"{$addFields: {b: '$a', 'c.d': 1}}", "[{a: 1, b: 2, c: 5}]", "[{a: 1, b: 1, c: {d: 1}}]"},
                 {"{$addFields: {x: '$a', 'arr.k': 1}}", "[{a: 1, arr: [1, {z: 2}]}]",
                  "[{a: 1, arr: [{k: 1}, {z: 2, k: 1}], x: 1}]"},
                 {"{$addFields: 1}", "[]", "error 40272"}},
}};
const Register kSet{{
    .name = "$set",
    .summary = "Another name of $addFields.",
    .split = Split::kEach,
    .parse = parse_add_fields,
    .examples = {{"{$set: {a: '$$REMOVE', b: 1}}", "[{a: 1}]", "[{b: 1}]"}},
}};
const Register kUnset{{
    .name = "$unset",
    .summary = "Drops fields.",
    .split = Split::kEach,
    .parse = parse_unset,
    .examples = {{"{$unset: 'a'}", "[{a: 1, b: 1}]", "[{b: 1}]"},
                 {"{$unset: ['a', 'b.c']}", "[{a: 1, b: {c: 1, d: 1}}]", "[{b: {d: 1}}]"},
                 {"{$unset: []}", "[]", "error 31119"}},
}};

}  // namespace

Source ProjectPlan::open(Source input, Role) const {
  return std::make_unique<ProjectStage>(projection_, std::move(input));
}

bool ProjectPlan::lets_pass(const FilterReads& filter) const {
  return !filter.anything && std::ranges::all_of(filter.paths, [this](const FieldPath& path) { return projection_.leaves_alone(path); });
}

Reads ProjectPlan::reads(FieldSet& fields) const {
  if (projection_.is_inclusion()) return projection_.collect_fields(fields) ? Reads::kOnly : Reads::kAll;
  return projection_.collect_computed_from(fields) ? Reads::kMore : Reads::kAll;
}

}  // namespace partita::query
