// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;

Result<std::int64_t> second(Value value) {
  if (!value.is_number())
    return error(Code{28725}, "Second argument to $slice must be a numeric value, but is of type: ", value.type_name());
  const auto whole = exact_int32(value);
  if (whole) return *whole;
  return error(Code{28726}, "Second argument to $slice can't be represented as a 32-bit integer: ", bson::to_shell(value));
}

Result<std::int64_t> third(Value value) {
  if (!value.is_number())
    return error(Code{28727}, "Third argument to $slice must be numeric, but is of type: ", value.type_name());
  const auto whole = exact_int32(value);
  if (!whole) return error(Code{28728}, "Third argument to $slice can't be represented as a 32-bit integer: ", bson::to_shell(value));
  if (*whole <= 0) return error(Code{28729}, "Third argument to $slice must be positive: ", *whole);
  return *whole;
}

/// With two numbers a place and how many from there; with one, that many from the beginning, or from the end if below zero.
Result<Value> slice(Args args, Arena& arena) {
  if (args[0].is_nullish() || args[1].is_nullish()) return Value::null();
  if (!args[0].is_array())
    return error(Code{28724}, "First argument to $slice must be an array, but is of type: ", args[0].type_name());
  TRY(const std::int64_t number, second(args[1]));
  if (args.size() > 2 && args[2].is_nullish()) return Value::null();
  const std::span<Value> elements = elements_of(args[0], arena);
  const auto size = static_cast<std::int64_t>(elements.size());
  std::int64_t begin = number < 0 ? std::max<std::int64_t>(size + number, 0) : std::min(number, size);
  std::int64_t count = size - begin;
  if (args.size() > 2) {
    TRY(const std::int64_t most, third(args[2]));
    count = std::min(count, most);
  } else if (number >= 0) {
    count = begin;
    begin = 0;
  }
  return make_array(elements.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)), arena);
}

const RegisterEntry<Expression> kSlice{{
    .name = "$slice",
    .min_args = 2,
    .max_args = 3,
    .summary = "A part of an array: the first n, the last n for -n, or n from a place on.",
    .evaluate = slice,
    .examples = {{"{$slice: ['$a', 2]}", "{a: [1, 2, 3]}", "[1, 2]"},
                 {"{$slice: ['$a', -2]}", "{a: [1, 2, 3]}", "[2, 3]"},
                 {"{$slice: ['$a', 1, 1]}", "{a: [1, 2, 3]}", "[2]"},
                 {"{$slice: ['$a', 1]}", "{}", "null"},
                 {"{$slice: [1, 1]}", "{}", "error 28724"},
                 {"{$slice: [[1], 1, 0]}", "{}", "error 28729"}},
}};

}  // namespace
}  // namespace partita::query
