// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/expr.h"

#include "query/match/computed_clauses.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Clause> parse_expr(const OperatorArgs& args) {
  TRY(CompiledExpression expression, CompiledExpression::compile(args.operand, args.context));
  return Clause{std::make_unique<Expr>(std::move(expression))};
}

const RegisterEntry<FilterOperator> kExpr{{
    .name = "$expr",
    .summary = "An expression over the document is true: fields may be compared with one another.",
    .parse = parse_expr,
    .in_upsert = false,
    .of_queries = true,
    .imply = [](const OperatorArgs& args, FilterTree& filter) { add_computed_clauses(args.operand, args.context, filter); },
    .examples = {{"{$expr: {$gt: ['$a', '$b']}}", "{a: 2, b: 1}", "true"},
                 {"{$expr: {$eq: ['$a', 1]}}", "{a: [1]}", "false"},
                 {"{$expr: {$foo: 1}}", "{}", "error 168"},
                 {"{$nor: [{$expr: {$divide: [1, '$a']}}]}", "{a: 0}", "error 2"}},
}};

}  // namespace

bool Expr::matches(Value document, MatchState& state) const {
  state.arena.reset();
  const Result<Value> value = expression_.evaluate(document.as_document(), state.arena);
  if (!value.ok()) state.failure = value.status();
  return value.ok() && value->truthy();
}

}  // namespace partita::query
