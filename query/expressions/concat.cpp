// SPDX-License-Identifier: GPL-3.0-or-later
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
  std::uint8_t* const start = arena.allocate(size + 5, 1);
  bson::store(start, static_cast<std::uint32_t>(size + 1));
  std::uint8_t* at = start + 4;
  for (const Value& value : args) {
    const std::string_view text = value.as_string();
    std::memcpy(at, text.data(), text.size());
    at += text.size();
  }
  *at = 0;
  return Value::of_payload(bson::Type::kString, start, static_cast<std::uint32_t>(size + 5));
}

const RegisterEntry<Expression> kConcat{{
    .name = "$concat",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "Strings joined into one; null if one of them is.",
    .evaluate = concat,
    .examples = {{"{$concat: ['$a', '-', '$b']}", "{a: 'x', b: 'y'}", "'x-y'"},
                 {"{$concat: ['a', '$b']}", "{}", "null"},
                 {"{$concat: ['a', '$b']}", "{b: 1}", "error 16702"}},
}};

}  // namespace
}  // namespace partita::query
