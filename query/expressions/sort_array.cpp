// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/parameters.h"
#include "query/sort/element_order.h"

namespace partita::query {
namespace {

using bson::Value;

const Parameters kParameters{"$sortArray", Code{2942500}, Code{2942501}, Parameters::Wording::kRequires,
                             {{"input", Code{2942502}}, {"sortBy", Code{2942503}}}};

Status check_order(Value order) {
  Status problem = ElementOrder::parse(order, nullptr).status();
  if (problem.ok()) return problem;
  if (order.is_document()) return error(Code{2942505}, "BadValue: ", problem.message());
  return error(order.is_number() ? Code{2942506} : Code{2942507}, problem.message());
}

/// The order is no expression: it stays as it is written, and stands behind the array.
Result<Operands> arguments(Value operand) {
  TRY(const std::vector<Value> given, kParameters.read(operand));
  CHECK_OK(check_order(given[1]));
  Operands operands({given[0]});
  operands.literals.push_back(given[1]);
  return operands;
}

Result<Value> sort(Args args, Arena& arena, const Collator* collation) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_array())
    return error(Code{2942504}, "The input argument to $sortArray must be an array, but was of type: ", args[0].type_name());
  TRY(const ElementOrder order, ElementOrder::parse(args[1], collation));
  const std::span<Value> elements = elements_of(args[0], arena);
  CHECK_OK(order.sort(elements));
  return make_array(elements, arena);
}

const RegisterEntry<Expression> kSortArray{{
    .name = "$sortArray",
    .min_args = 1,
    .max_args = 1,
    .summary = "The elements of an array in order: of the whole values, or of fields in them.",
    .compares = sort,
    .arguments = arguments,
    .examples = {{"{$sortArray: {input: '$a', sortBy: 1}}", "{a: [3, 1, 2]}", "[1, 2, 3]"},
                 {"{$sortArray: {input: '$a', sortBy: {x: -1}}}", "{a: [{x: 1}, {x: 2}, 5]}", "[{x: 2}, {x: 1}, 5]"},
                 {"{$sortArray: {input: '$a', sortBy: 1}}", "{}", "null"},
                 {"{$sortArray: {input: 1, sortBy: 1}}", "{}", "error 2942504"},
                 {"{$sortArray: {input: [], sortBy: 2}}", "{}", "error 2942506"},
                 {"{$sortArray: {input: [], sortBy: {a: 1.5}}}", "{}", "error 2942505"}},
}};

}  // namespace
}  // namespace partita::query
