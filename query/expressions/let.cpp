// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"
#include "query/expressions/parameters.h"
#include "query/expressions/variable_names.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kParameters{"$let", Code{16874}, Code{16875}, Parameters::Wording::kSupports,
                             {{"vars", Code{16876}}, {"in", Code{16877}}}};

/// The variables' values, and last what is computed with them.
Result<Operands> arguments(Value operand) {
  TRY(const std::vector<Value> given, kParameters.read(operand));
  if (!given[0].is_document()) return error(Code{10065}, "invalid parameter: expected an object (vars)");
  Operands operands;
  const bson::View variables = given[0].as_document();
  for (auto at = variables.begin(); at != variables.end(); ++at) {
    CHECK_OK(check_definable_variable(at->name));
    operands.names.push_back(at->name);
    operands.values.push_back(at->value);
  }
  operands.values.push_back(given[1]);
  return operands;
}

/// No variable sees another one of the same $let: they are defined when all have their values.
void between(LazyCode& code, std::size_t argument, std::size_t count) {
  const std::size_t variables = count - 1;
  if (argument == variables) code.define(variables);
  if (argument < count) return;
  code.forget(variables);
  code.drop_below(variables);
}

const RegisterEntry<Expression> kLet{{
    .name = "$let",
    .min_args = 1,
    .max_args = Expression::kAnyNumber,
    .summary = "Gives names to values, for one expression.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$let: {vars: {x: '$a', y: 2}, in: {$multiply: ['$$x', '$$y', '$$x']}}}", "{a: 3}", "18"},
                 {"{$let: {vars: {x: '$o'}, in: '$$x.p'}}", "{o: {p: 1}}", "1"},
                 {"{$let: {vars: {CURRENT: '$o'}, in: ['$p', '$$ROOT.p']}}", "{o: {p: 1}, p: 2}", "[1, 2]"},
                 {"{$let: {vars: {X: 1}, in: 1}}", "{}", "error 9"},
                 {"{$let: {vars: {}}}", "{}", "error 16877"}},
}};

}  // namespace
}  // namespace partita::query
