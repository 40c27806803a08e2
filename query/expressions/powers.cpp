// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "query/expressions/numeric.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Decimal128;
using bson::Type;
using bson::Value;

/// Neither below zero, nor zero where that is asked for; NaN is let pass.
bool in_domain(Value value, bool with_zero) {
  if (value.is(Type::kDecimal128)) {
    const Decimal128 zero = bson::decimal_from_int64(0);
    const Decimal128 x = value.as_decimal();
    return bson::decimal_is_nan(x) || bson::decimal_less(zero, x) || (with_zero && bson::decimal_equal(x, zero));
  }
  const double x = *value.to_double();
  return std::isnan(x) || x > 0 || (with_zero && x == 0);
}

bool is_nan(Value value) {
  return value.is(Type::kDecimal128) ? bson::decimal_is_nan(value.as_decimal()) : std::isnan(*value.to_double());
}

Result<Value> sqrt(Args args, Arena& arena) {
  if (args[0].is_number() && !in_domain(args[0], true))
    return error(Code{28714}, "$sqrt's argument must be greater than or equal to 0");
  return real_function("$sqrt", args[0], arena, [](double x) { return std::sqrt(x); }, bson::decimal_sqrt);
}

Result<Value> exp(Args args, Arena& arena) {
  return real_function("$exp", args[0], arena, [](double x) { return std::exp(x); }, bson::decimal_exp);
}

Status not_positive(Code code, std::string_view name, Value value) {
  return error(code, name, "'s argument must be a positive number, but is ", bson::to_shell(value));
}

/// A decimal NaN becomes a double.
Result<Value> ln(Args args, Arena& arena) {
  if (args[0].is_number() && !in_domain(args[0], false)) return not_positive(Code{28766}, "$ln", args[0]);
  if (args[0].is_number() && is_nan(args[0])) return Value::of(std::nan(""));
  return real_function("$ln", args[0], arena, [](double x) { return std::log(x); }, bson::decimal_ln);
}

Result<Value> log10(Args args, Arena& arena) {
  if (args[0].is_number() && !in_domain(args[0], false)) return not_positive(Code{28761}, "$log10", args[0]);
  if (args[0].is_number() && is_nan(args[0])) return Value::of(std::nan(""));
  return real_function("$log10", args[0], arena, [](double x) { return std::log10(x); }, bson::decimal_log10);
}

bool is_one(Value value) {
  return value.is(Type::kDecimal128) ? bson::decimal_equal(value.as_decimal(), bson::decimal_from_int64(1))
                                     : *value.to_double() == 1;
}

Result<Value> log(Args args, Arena& arena) {
  if (any_nullish(args)) return Value::null();
  const Value value = args[0];
  const Value base = args[1];
  if (!value.is_number()) return error(Code{28756}, "$log's argument must be numeric, not ", value.type_name());
  if (!base.is_number()) return error(Code{28757}, "$log's base must be numeric, not ", base.type_name());
  if (!in_domain(value, false)) return not_positive(Code{28758}, "$log", value);
  if (!in_domain(base, false) || is_one(base))
    return error(Code{28759}, "$log's base must be a positive number not equal to 1, but is ", bson::to_shell(base));
  if (is_nan(value) || is_nan(base)) return Value::of(std::nan(""));
  if (any_decimal(args))
    return arena.decimal(bson::decimal_log(Number::of(value).to_decimal(), Number::of(base).to_decimal()));
  return Value::of(std::log(*value.to_double()) / std::log(*base.to_double()));
}

/// Squaring, as long as it fits.
std::optional<std::int64_t> whole_power(std::int64_t base, std::int64_t exponent) {
  if (base == 1 || exponent == 0) return 1;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent < 0) return std::nullopt;
  if (base == 0) return 0;
  std::int64_t result = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
    exponent >>= 1;
    if (exponent == 0) return result;
    if (__builtin_mul_overflow(base, base, &base)) return std::nullopt;
  }
}

bool below_zero(Value value) {
  return value.is(Type::kDecimal128) ? bson::decimal_less(value.as_decimal(), bson::decimal_from_int64(0))
                                     : *value.to_double() < 0;
}

Result<Value> pow(Args args, Arena& arena) {
  if (any_nullish(args)) return Value::null();
  const Value base = args[0];
  const Value exponent = args[1];
  if (!base.is_number()) return error(Code{28762}, "$pow's base must be numeric, not ", base.type_name());
  if (!exponent.is_number()) return error(Code{28763}, "$pow's exponent must be numeric, not ", exponent.type_name());
  if (!base.truthy() && below_zero(exponent))
    return error(Code{28764}, "$pow cannot take a base of 0 and a negative exponent");
  if (any_decimal(args))
    return arena.decimal(bson::decimal_pow(Number::of(base).to_decimal(), Number::of(exponent).to_decimal()));
  const bool reals = base.is(Type::kDouble) || exponent.is(Type::kDouble);
  const auto whole = reals ? std::nullopt : whole_power(base.as_int64(), exponent.as_int64());
  if (!whole) return Value::of(std::pow(*base.to_double(), *exponent.to_double()));
  const bool ints = base.is(Type::kInt32) && exponent.is(Type::kInt32);
  const auto narrow = static_cast<std::int32_t>(*whole);
  return ints && narrow == *whole ? Value::of(narrow) : Value::of(*whole);
}

using Register = RegisterEntry<Expression>;

const Register kSqrt{{
    .name = "$sqrt",
    .summary = "The square root.",
    .evaluate = sqrt,
    .examples = {{"{$sqrt: '$a'}", "{a: 9}", "3.0"}, {"{$sqrt: '$a'}", "{a: -9}", "error 28714"}, {"{$sqrt: 'x'}", "{}", "error 28765"}},
}};
const Register kExp{{
    .name = "$exp",
    .summary = "e to the power of a number.",
    .evaluate = exp,
    .examples = {{"{$exp: '$a'}", "{a: 0}", "1.0"}, {"{$exp: 'x'}", "{}", "error 28765"}},
}};
const Register kLn{{
    .name = "$ln",
    .summary = "The natural logarithm.",
    .evaluate = ln,
    .examples = {{"{$ln: '$a'}", "{a: 1}", "0.0"}, {"{$ln: '$a'}", "{a: 0}", "error 28766"}, {"{$ln: 'x'}", "{}", "error 28765"}},
}};
const Register kLog10{{
    .name = "$log10",
    .summary = "The logarithm to the base 10.",
    .evaluate = log10,
    .examples = {{"{$log10: '$a'}", "{a: 1000}", "3.0"}, {"{$log10: '$a'}", "{a: 0}", "error 28761"}},
}};
const Register kLog{{
    .name = "$log",
    .min_args = 2,
    .max_args = 2,
    .summary = "The logarithm of a number to a base.",
    .evaluate = log,
    .examples = {{"{$log: ['$a', 2]}", "{a: 8}", "3.0"},
                 {"{$log: ['$a', 2]}", "{a: 0}", "error 28758"},
                 {"{$log: ['$a', 1]}", "{a: 8}", "error 28759"}},
}};
const Register kPow{{
    .name = "$pow",
    .min_args = 2,
    .max_args = 2,
    .summary = "A number to the power of another: whole if both are and it fits.",
    .evaluate = pow,
    .examples = {{"{$pow: ['$a', 10]}", "{a: 2}", "1024"},
                 {"{$pow: [2, 31]}", "{}", "{$numberLong: '2147483648'}"},
                 {"{$pow: [2, -1]}", "{}", "0.5"},
                 {"{$pow: [0, -1]}", "{}", "error 28764"},
                 {"{$pow: ['x', 1]}", "{}", "error 28762"}},
}};

}  // namespace
}  // namespace partita::query
