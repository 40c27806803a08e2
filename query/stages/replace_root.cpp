// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/row_builder.h"
#include "query/stages/stage.h"
#include "wire/bson/json.h"
#include "wire/bson/nesting.h"

namespace partita::query {
namespace {

using bson::Value;

struct NewRoot {
  CompiledExpression expression;
  std::string_view what;  ///< As error texts call it.
};

/// Values may lie in the row that they are computed from, which stays until the next pull.
class ReplaceRootStage : public RecordSource {
 public:
  ReplaceRootStage(const NewRoot& root, Source input) : root_(root), input_(std::move(input)) {}

  Status pull(Batch& out) override {
    CHECK_OK(input_->pull(out));
    for (Row& row : out.rows) {
      TRY(const Value value, root_.expression.evaluate(row.document, out.arena));
      if (!value.is_document()) return no_document(value, row.document);
      row.document = value.as_document();
      CHECK_OK(bson::check_nesting(row.document));
    }
    return made_batch(out.arena.reserved());
  }

 private:
  Status no_document(Value value, bson::View document) const {
    return error(Code{40228}, root_.what, "  must evaluate to an object, but resulting value was: ",
                 value.missing() ? std::string("MISSING") : bson::to_shell(value), ". Type of resulting value: '",
                 value.missing() ? std::string_view("missing") : value.type_name(), "'. Input document: ", bson::to_shell(document));
  }

  const NewRoot& root_;
  Source input_;
};

class ReplaceRootPlan : public StagePlan {
 public:
  explicit ReplaceRootPlan(NewRoot root) : root_(std::move(root)) {}
  Source open(Source input, Role) const override { return std::make_unique<ReplaceRootStage>(root_, std::move(input)); }
  Reads reads(FieldSet& fields) const override {
    return root_.expression.collect_fields(fields) ? Reads::kOnly : Reads::kAll;
  }

 private:
  NewRoot root_;
};

Result<std::unique_ptr<const StagePlan>> plan(Value source, std::string_view what, const ExpressionContext& context) {
  TRY(CompiledExpression expression, CompiledExpression::compile(source, context));
  return std::make_unique<ReplaceRootPlan>(NewRoot{std::move(expression), what});
}

Result<std::unique_ptr<const StagePlan>> parse_replace_root(const StageArgs& args) {
  if (!args.specification.is_document())
    return error(Code{40229}, "expected an object as specification for $replaceRoot stage, got ", args.specification.type_name());
  Value root;
  for (const auto& [name, value] : args.specification.as_document()) {
    if (name != "newRoot") return error(Code{40415}, "BSON field '$replaceRoot.", name, "' is an unknown field.");
    root = value;
  }
  if (root.missing()) return error(Code{40414}, "BSON field '$replaceRoot.newRoot' is missing but a required field");
  return plan(root, "'newRoot' expression", args.context);
}

Result<std::unique_ptr<const StagePlan>> parse_replace_with(const StageArgs& args) {
  return plan(args.specification, "'replacement document'", args.context);
}

using Register = RegisterEntry<StageKind>;

const Register kReplaceRoot{{
    .name = "$replaceRoot",
    .summary = "Puts a nested or computed document in the place of the whole.",
    .split = Split::kEach,
    .parse = parse_replace_root,
    .examples = {{"{$replaceRoot: {newRoot: '$a'}}", "[{_id: 1, a: {b: 2}}]", "[{b: 2}]"},
                 {"{$replaceRoot: {newRoot: {c: '$a.b', d: 1}}}", "[{_id: 1, a: {b: 2}}]", "[{c: 2, d: 1}]"},
                 {"{$replaceRoot: {newRoot: '$a'}}", "[{_id: 1, a: 5}]", "error 40228"},
                 {"{$replaceRoot: {}}", "[]", "error 40414"},
                 {"{$replaceRoot: 1}", "[]", "error 40229"}},
}};
const Register kReplaceWith{{
    .name = "$replaceWith",
    .summary = "Another way of writing $replaceRoot.",
    .split = Split::kEach,
    .parse = parse_replace_with,
    .examples = {{"{$replaceWith: '$a'}", "[{_id: 1, a: {b: 2}}]", "[{b: 2}]"},
                 {"{$replaceWith: '$$ROOT'}", "[{_id: 1}]", "[{_id: 1}]"},
                 {"{$replaceWith: '$b'}", "[{_id: 1, a: 5}]", "error 40228"}},
}};

}  // namespace
}  // namespace partita::query
