// SPDX-License-Identifier: GPL-3.0-or-later
// $concatArrays, $reverseArray, $isArray.
#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> concat(Args args, Arena& arena) {
  std::size_t count = 0;
  for (const Value& value : args) {
    if (value.is_nullish()) return Value::null();
    if (!value.is_array()) return error(Code{28664}, "$concatArrays only supports arrays, not ", value.type_name());
    count += value.as_document().count();
  }
  auto* const elements = reinterpret_cast<Value*>(arena.allocate(count * sizeof(Value), alignof(Value)));
  Value* next = elements;
  for (const Value& value : args)
    for (const bson::Field& element : value.as_document()) *next++ = element.value;
  return make_array({elements, count}, arena);
}

Result<Value> reverse(Args args, Arena& arena) {
  if (args[0].is_nullish()) return Value::null();
  if (!args[0].is_array())
    return error(Code{34435}, "The argument to $reverseArray must be an array, but was of type: ", args[0].type_name());
  const std::span<Value> elements = elements_of(args[0], arena);
  std::reverse(elements.begin(), elements.end());
  return make_array(elements, arena);
}

Result<Value> is_array(Args args, Arena&) { return Value::of(args[0].is_array()); }

using Register = RegisterEntry<Expression>;

const Register kConcatArrays{{
    .name = "$concatArrays",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "Arrays joined into one; null if one of them is.",
    .evaluate = concat,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$concatArrays: ['$a', [3]]}", "{a: [1, 2]}", "[1, 2, 3]"},
                 {"{$concatArrays: ['$a', [3]]}", "{}", "null"},
                 {"{$concatArrays: ['$a', [3]]}", "{a: 1}", "error 28664"}},
}};
const Register kReverseArray{{
    .name = "$reverseArray",
    .summary = "The elements of an array, the last first.",
    .evaluate = reverse,
    .examples = {{"{$reverseArray: '$a'}", "{a: [1, 2, 3]}", "[3, 2, 1]"}, {"{$reverseArray: '$a'}", "{a: 1}", "error 34435"}},
}};
const Register kIsArray{{
    .name = "$isArray",
    .summary = "Whether a value is an array.",
    .evaluate = is_array,
    .examples = {{"{$isArray: '$a'}", "{a: []}", "true"}, {"{$isArray: [[1]]}", "{}", "true"}, {"{$isArray: '$a'}", "{}", "false"}},
}};

}  // namespace
}  // namespace partita::query
