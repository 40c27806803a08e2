// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"
#include "query/expressions/parameters.h"
#include "query/expressions/variable_names.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kParameters{"$filter", Code{28646}, Code{28647}, Parameters::Wording::kSupports,
                             {{"input", Code{28648}}, {"as"}, {"cond", Code{28650}}, {"limit"}}};

/// The limit is asked for only where there is an array to go over.
Result<Operands> arguments(Value operand) {
  TRY(const std::vector<Value> given, kParameters.read(operand));
  const std::string_view name = given[1].missing() ? "this" : given[1].is_string() ? given[1].as_string() : "";
  CHECK_OK(check_definable_variable(name));
  Operands operands({given[0], given[3], given[2]});
  operands.names.push_back(name);
  return operands;
}

Status not_array(Value input) {
  return error(Code{28651}, "input to $filter must be an array not ", input.type_name());
}

void between(LazyCode& code, std::size_t argument, std::size_t) {
  constexpr int kEnd = 0;
  if (argument == 1) {
    code.begin_loop(true, not_array, kEnd);
  } else if (argument == 2) {
    code.limit_loop();
    code.next_element(kEnd);
    code.define(1);
  } else {
    code.forget(1);
    code.keep_if_true();
    code.bind(kEnd);
  }
}

const RegisterEntry<Expression> kFilter{{
    .name = "$filter",
    .min_args = 3,
    .max_args = 3,
    .summary = "An array of the elements for which an expression is true, at most `limit` of them.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$filter: {input: '$a', as: 'x', cond: {$gt: ['$$x', 1]}}}", "{a: [1, 2, 3]}", "[2, 3]"},
                 {"{$filter: {input: '$a', cond: {$gt: ['$$this', 1]}, limit: 1}}", "{a: [1, 2, 3]}", "[2]"},
                 {"{$filter: {input: '$a', cond: true}}", "{a: null}", "null"},
                 {"{$filter: {input: '$a', cond: true}}", "{a: 1}", "error 28651"},
                 {"{$filter: {input: [1], cond: true, limit: 0}}", "{}", "error 327392"}},
}};

}  // namespace
}  // namespace partita::query
