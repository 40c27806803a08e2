// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/computed_values.h"
#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Value;

Result<Value> concat(Args args, Arena& arena) {
  std::size_t size = 0;
  for (const Value& value : args) {
    if (value.is_nullish()) return Value::null();
    if (!value.is_string()) return error(Code{16702}, "$concat only supports strings, not ", value.type_name());
    size += value.as_string().size();
  }
  TRY(const UnwrittenString joined, unwritten_string(size, arena));
  char* at = joined.text;
  for (const Value& value : args) at += value.as_string().copy(at, std::string_view::npos);
  return joined.value;
}

const RegisterEntry<Expression> kConcat{{
    .name = "$concat",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "Strings joined into one; null if one of them is.",
    .evaluate = concat,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$concat: ['$a', '-', '$b']}", "{a: 'x', b: 'y'}", "'x-y'"},
                 {"{$concat: ['a', '$b']}", "{}", "null"},
                 {"{$concat: ['a', '$b']}", "{b: 1}", "error 16702"}},
}};

}  // namespace
}  // namespace partita::query
