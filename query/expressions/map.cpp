// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/lazy_code.h"
#include "query/expressions/parameters.h"
#include "query/expressions/variable_names.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kParameters{"$map", Code{16878}, Code{16879}, Parameters::Wording::kSupports,
                             {{"input", Code{16880}}, {"as"}, {"in", Code{16882}}}};

Result<Operands> arguments(Value operand) {
  TRY(const std::vector<Value> given, kParameters.read(operand));
  const std::string_view name = given[1].missing() ? "this" : given[1].is_string() ? given[1].as_string() : "";
  CHECK_OK(check_definable_variable(name));
  Operands operands({given[0], given[2]});
  operands.names.push_back(name);
  return operands;
}

Status not_array(Value input) {
  return error(Code{16883}, "input to $map must be an array not ", input.type_name());
}

void between(LazyCode& code, std::size_t argument, std::size_t) {
  constexpr int kEnd = 0;
  if (argument == 1) {
    code.begin_loop(true, not_array, kEnd);
    code.next_element(kEnd);
    code.define(1);
  } else {
    code.forget(1);
    code.collect();
    code.bind(kEnd);
  }
}

const RegisterEntry<Expression> kMap{{
    .name = "$map",
    .min_args = 2,
    .max_args = 2,
    .summary = "An array of what an expression makes of each element.",
    .between = between,
    .arguments = arguments,
    .examples = {{"{$map: {input: '$a', as: 'x', in: {$add: ['$$x', '$b']}}}", "{a: [1, 2], b: 10}", "[11, 12]"},
                 {"{$map: {input: '$a', in: '$$this.b'}}", "{a: [{b: 1}, 2]}", "[1, null]"},
                 {"{$map: {input: '$a', in: 1}}", "{}", "null"},
                 {"{$map: {input: '$a', in: 1}}", "{a: 1}", "error 16883"}},
}};

}  // namespace
}  // namespace partita::query
