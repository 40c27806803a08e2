// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "query/expressions/numeric.h"
#include "query/number_sum.h"
#include "wire/bson/decimal_math.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

Value in_arena(const Number& number, Arena& arena) { return arena.copy(number.value()); }

constexpr double kTwoTo63 = 9223372036854775808.0;

bool fits_long(double real) { return real >= -kTwoTo63 && real < kTwoTo63; }

/// A date takes part in a sum as its milliseconds. A decimal is rounded, and yields the least date where it is too large;
/// a double is cut off.
Result<Value> date_of(const Number& sum) {
  if (sum.type() == Type::kDecimal128) {
    const auto whole = bson::decimal_to_int64(sum.to_decimal(), bson::Rounding::kTiesToEven);
    return Value::of(bson::Date{whole.value_or(INT64_MIN)});
  }
  if (sum.is_integer()) return Value::of(bson::Date{sum.whole()});
  if (!fits_long(sum.to_double())) return error(Code::Overflow, "date overflow in $add");
  return Value::of(bson::Date{static_cast<std::int64_t>(sum.to_double())});
}

Result<Value> evaluate_add(Args args, Arena& arena) {
  NumberSum sum;
  bool dated = false;
  for (const Value& value : args) {
    if (value.is_nullish()) return Value::null();
    if (value.is(Type::kDate)) {
      if (dated) return error(Code{16612}, "only one date allowed in an $add expression");
      dated = true;
      sum.add(Value::of(value.as_date().ms_since_epoch));
    } else if (value.is_number()) {
      sum.add(value);
    } else {
      return error(Code{16554}, "$add only supports numeric or date types, not ", value.type_name());
    }
  }
  return dated ? date_of(sum.total()) : Result<Value>(in_arena(sum.total(), arena));
}

Result<Value> date_before(bson::Date date, Value ms) {
  TRY(const std::int64_t whole, coerce_long(ms));
  if (whole == INT64_MIN) return error(Code::DurationOverflow, "Cannot negate the minimum duration");
  std::int64_t result = 0;
  if (__builtin_sub_overflow(date.ms_since_epoch, whole, &result))
    return error(Code::DurationOverflow, "Overflow while adding ", -whole, "ms to ", date.ms_since_epoch, "ms");
  return Value::of(bson::Date{result});
}

/// A long that overflows goes on as a double.
Value or_double(std::optional<Number> exact, double otherwise, Arena& arena) {
  return exact ? in_arena(*exact, arena) : Value::of(otherwise);
}

Result<Value> evaluate_subtract(Args args, Arena& arena) {
  const Value a = args[0];
  const Value b = args[1];
  if (any_nullish(args)) return Value::null();
  if (a.is_number() && b.is_number()) {
    const Number x = Number::of(a);
    const Number y = Number::of(b);
    return or_double(subtract(x, y), x.to_double() - y.to_double(), arena);
  }
  if (a.is(Type::kDate) && b.is(Type::kDate))
    return Value::of(static_cast<std::int64_t>(static_cast<std::uint64_t>(a.as_date().ms_since_epoch) -
                                               static_cast<std::uint64_t>(b.as_date().ms_since_epoch)));
  if (a.is(Type::kDate) && b.is_number()) return date_before(a.as_date(), b);
  return error(Code::TypeMismatch, "can't $subtract ", b.type_name(), " from ",
               a.is(Type::kDate) ? "Date" : a.type_name());
}

Result<Value> evaluate_multiply(Args args, Arena& arena) {
  Number product(std::int32_t{1});
  for (const Value& value : args) {
    if (value.is_nullish()) return Value::null();
    if (!value.is_number())
      return error(Code::TypeMismatch, "$multiply only supports numeric types, not ", value.type_name());
    const Number factor = Number::of(value);
    product = multiply(product, factor).value_or(Number(product.to_double() * factor.to_double()));
  }
  return in_arena(product, arena);
}

Status not_numbers(std::string_view name, Code code, Args args) {
  return error(code, name, " only supports numeric types, not ", args[0].type_name(), " and ", args[1].type_name());
}

Result<Value> evaluate_divide(Args args, Arena& arena) {
  if (any_nullish(args)) return Value::null();
  if (!args[0].is_number() || !args[1].is_number()) return not_numbers("$divide", Code::TypeMismatch, args);
  const Number dividend = Number::of(args[0]);
  const Number divisor = Number::of(args[1]);
  if (!args[1].truthy()) return error(Code::BadValue, "can't $divide by zero");
  if (any_decimal(args)) return arena.decimal(bson::decimal_divide(dividend.to_decimal(), divisor.to_decimal()));
  return Value::of(dividend.to_double() / divisor.to_double());
}

Result<Value> evaluate_mod(Args args, Arena& arena) {
  if (any_nullish(args)) return Value::null();
  if (!args[0].is_number() || !args[1].is_number()) return not_numbers("$mod", Code{16611}, args);
  if (!args[1].truthy()) return error(Code{any_decimal(args) ? 5733415 : 16610}, "can't $mod by zero");
  const Number dividend = Number::of(args[0]);
  const Number divisor = Number::of(args[1]);
  if (any_decimal(args)) return arena.decimal(bson::decimal_modulo(dividend.to_decimal(), divisor.to_decimal()));
  if (!dividend.is_integer() || !divisor.is_integer())
    return Value::of(std::fmod(dividend.to_double(), divisor.to_double()));
  const std::int64_t rest = divisor.whole() == -1 ? 0 : dividend.whole() % divisor.whole();  // LONG_MIN % -1 traps.
  const bool ints = dividend.type() == Type::kInt32 && divisor.type() == Type::kInt32;
  return ints ? Value::of(static_cast<std::int32_t>(rest)) : Value::of(rest);
}

using Register = RegisterEntry<Expression>;

const Register kAdd{{
    .name = "$add",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The sum of numbers, or a date and numbers of milliseconds; null if one of them is.",
    .evaluate = evaluate_add,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$add: ['$a', 2]}", "{a: 40}", "42"},
                 {"{$add: [2147483647, 1]}", "{}", "{$numberLong: '2147483648'}"},
                 {"{$add: ['$a', 1]}", "{}", "null"},
                 {"{$add: ['$a', 1]}", "{a: 'x'}", "error 16554"}},
}};
const Register kSubtract{{
    .name = "$subtract",
    .min_args = 2,
    .max_args = 2,
    .summary = "The difference of two numbers, of two dates in milliseconds, or a date so much earlier.",
    .evaluate = evaluate_subtract,
    .examples = {{"{$subtract: [5, 2]}", "{}", "3"},
                 {"{$subtract: ['$a', 1]}", "{a: 2.5}", "1.5"},
                 {"{$subtract: ['$a', 1]}", "{a: 'x'}", "error 14"}},
}};
const Register kMultiply{{
    .name = "$multiply",
    .min_args = 0,
    .max_args = Expression::kAnyNumber,
    .summary = "The product of numbers; null if one of them is.",
    .evaluate = evaluate_multiply,
    .null_stops = Expression::kAnyNumber,
    .examples = {{"{$multiply: ['$a', 3, 2]}", "{a: 2}", "12"},
                 {"{$multiply: []}", "{}", "1"},
                 {"{$multiply: ['$a', 3]}", "{a: 'x'}", "error 14"}},
}};
const Register kDivide{{
    .name = "$divide",
    .min_args = 2,
    .max_args = 2,
    .summary = "The quotient of two numbers, as a double or decimal.",
    .evaluate = evaluate_divide,
    .examples = {{"{$divide: [4, 2]}", "{}", "2.0"},
                 {"{$divide: ['$a', 0]}", "{a: 1}", "error 2"},
                 {"{$divide: ['$a', 0]}", "{a: null}", "null"}},
}};
const Register kMod{{
    .name = "$mod",
    .min_args = 2,
    .max_args = 2,
    .summary = "What truncating division leaves, with the dividend's sign.",
    .evaluate = evaluate_mod,
    .examples = {{"{$mod: [-5, 3]}", "{}", "-2"},
                 {"{$mod: [5.5, 2]}", "{}", "1.5"},
                 {"{$mod: [5, 0]}", "{}", "error 16610"}},
}};

}  // namespace
}  // namespace partita::query
