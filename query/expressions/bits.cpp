// SPDX-License-Identifier: GPL-3.0-or-later
// Ints and longs, bit by bit: $bitAnd, $bitOr, $bitXor, $bitNot.
#include <functional>

#include "query/expressions/expression.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

bool has_bits(Value value) { return value.is(Type::kInt32) || value.is(Type::kInt64); }

template <class Combine>
Result<Value> combine(std::string_view name, Args args, std::int64_t start, Combine op) {
  std::int64_t bits = start;
  bool is_int = true;
  for (const Value& value : args) {
    if (value.is_nullish()) return Value::null();
    if (!has_bits(value))
      return error(Code::TypeMismatch, name, " only supports int and long operands, not ", value.type_name(), ".");
    bits = op(bits, value.as_int64());
    is_int = is_int && value.is(Type::kInt32);
  }
  return is_int ? Value::of(static_cast<std::int32_t>(bits)) : Value::of(bits);
}

Result<Value> bit_and(Args args, Arena&) { return combine("$bitAnd", args, -1, std::bit_and<>()); }
Result<Value> bit_or(Args args, Arena&) { return combine("$bitOr", args, 0, std::bit_or<>()); }
Result<Value> bit_xor(Args args, Arena&) { return combine("$bitXor", args, 0, std::bit_xor<>()); }

Result<Value> bit_not(Args args, Arena&) {
  const Value value = args[0];
  if (value.is_nullish()) return Value::null();
  if (value.is_number() && !has_bits(value))
    return error(Code::TypeMismatch, "$bitNot only supports int and long, not: ", value.type_name(), ".");
  if (!has_bits(value)) return error(Code{28765}, "$bitNot only supports numeric types, not ", value.type_name());
  return value.is(Type::kInt32) ? Value::of(~value.as_int32()) : Value::of(~value.as_int64());
}

using Register = RegisterEntry<Expression>;

const Register kBitAnd{{
    .name = "$bitAnd",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The bits that all numbers have.",
    .evaluate = bit_and,
    .examples = {{"{$bitAnd: ['$a', 6]}", "{a: 3}", "2"}, {"{$bitAnd: []}", "{}", "-1"}, {"{$bitAnd: [1.5, 1]}", "{}", "error 14"}},
}};
const Register kBitOr{{
    .name = "$bitOr",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The bits that any of the numbers has.",
    .evaluate = bit_or,
    .examples = {{"{$bitOr: ['$a', 6]}", "{a: 3}", "7"}, {"{$bitOr: ['$a', 1]}", "{}", "null"}},
}};
const Register kBitXor{{
    .name = "$bitXor",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The bits that an odd number of the numbers has.",
    .evaluate = bit_xor,
    .examples = {{"{$bitXor: ['$a', {$numberLong: '6'}]}", "{a: 3}", "{$numberLong: '5'}"}},
}};
const Register kBitNot{{
    .name = "$bitNot",
    .summary = "The bits that a number does not have.",
    .evaluate = bit_not,
    .examples = {{"{$bitNot: '$a'}", "{a: 5}", "-6"}, {"{$bitNot: 1.5}", "{}", "error 14"}},
}};

}  // namespace
}  // namespace partita::query
