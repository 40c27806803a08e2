// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"
#include "query/expressions/parameters.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kParameters{"$reduce", Code{40075}, Code{40076}, Parameters::Wording::kRequires,
                             {{"input", Code{40077}}, {"initialValue", Code{40078}}, {"in", Code{40079}}}};

Result<Operands> arguments(Value operand) {
  TRY(std::vector<Value> given, kParameters.read(operand));
  Operands operands(std::move(given));
  operands.names = {"this", "value"};
  return operands;
}

Status not_array(Value input) {
  return error(Code{40080}, "$reduce requires that 'input' be an array, found: ", bson::to_shell(input));
}

/// The element at hand stands where the array did, and above it the value, each round in the place of the last one.
void between(LazyCode& code, std::size_t argument, std::size_t) {
  constexpr int kDone = 0;
  constexpr int kEnd = 1;
  if (argument == 1) {
    code.begin_loop(false, not_array, kEnd);
  } else if (argument == 2) {
    code.next_element(kDone);
    code.define(2);
  } else {
    code.forget(2);
    code.replace();
    code.bind(kDone);
    code.drop_below(1);
    code.bind(kEnd);
  }
}

const RegisterEntry<Expression> kReduce{{
    .name = "$reduce",
    .min_args = 3,
    .max_args = 3,
    .summary = "One value made of all elements: of each, and of what those before it have made.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$reduce: {input: '$a', initialValue: '', in: {$concat: ['$$value', '$$this']}}}",
                  "{a: ['x', 'y', 'z']}", "'xyz'"},
                 {"{$reduce: {input: '$a', initialValue: 5, in: {$add: ['$$value', '$$this']}}}", "{a: []}", "5"},
                 {"{$reduce: {input: '$a', initialValue: 5, in: 1}}", "{}", "null"},
                 {"{$reduce: {input: '$a', initialValue: 5, in: 1}}", "{a: 1}", "error 40080"}},
}};

}  // namespace
}  // namespace partita::query
