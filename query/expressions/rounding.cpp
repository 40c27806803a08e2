// SPDX-License-Identifier: GPL-3.0-or-later
// $abs, $ceil, $floor, and $round and $trunc, which take a number of decimal places.
#include <cmath>

#include "query/expressions/numeric.h"
#include "query/expressions/text_values.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Decimal128;
using bson::Rounding;
using bson::Type;
using bson::Value;

Value int_or_long(std::int64_t whole, bool is_int) {
  const auto narrow = static_cast<std::int32_t>(whole);
  return is_int && narrow == whole ? Value::of(narrow) : Value::of(whole);
}

Result<Value> abs(Args args, Arena& arena) {
  const Value value = args[0];
  if (!value.is(Type::kInt32) && !value.is(Type::kInt64))
    return real_function("$abs", value, arena, [](double x) { return std::fabs(x); }, bson::decimal_abs);
  if (value.as_int64() == INT64_MIN) return error(Code{28680}, "can't take $abs of long long min");
  return int_or_long(std::abs(value.as_int64()), value.is(Type::kInt32));
}

template <Rounding rounding>
Result<Value> to_whole(std::string_view name, Value value, Arena& arena) {
  if (value.is(Type::kInt32) || value.is(Type::kInt64)) return value;
  return real_function(
      name, value, arena, [](double x) { return rounding == Rounding::kUp ? std::ceil(x) : std::floor(x); },
      [](Decimal128 x) { return bson::decimal_quantize(x, 0, rounding); });
}

Result<Value> ceil(Args args, Arena& arena) { return to_whole<Rounding::kUp>("$ceil", args[0], arena); }
Result<Value> floor(Args args, Arena& arena) { return to_whole<Rounding::kDown>("$floor", args[0], arena); }

/// How many digits behind the point are kept; below zero, in front of it.
Result<int> places(std::string_view name, Value asked) {
  constexpr int kFewest = -20;
  constexpr int kMost = 100;
  if (!asked.is_number()) return error(Code{16004}, "can't convert from BSON type ", asked.type_name(), " to long");
  CHECK_OK(coerce_long(asked));
  const auto whole = exact_int32(asked);
  if (!whole) return error(Code{51082}, "precision argument to  ", name, " must be a integral value");
  if (*whole < kFewest || *whole > kMost)
    return error(Code{51083}, "cannot apply ", name, " with precision value ", *whole, " value must be in [-20, 100]");
  return *whole;
}

/// A decimal that has no room for so many places has no more digits than there are: it stays what it is.
Decimal128 round_decimal(Decimal128 value, int places, Rounding rounding) {
  if (bson::decimal_is_infinite(value)) return value;
  const Decimal128 rounded = bson::decimal_quantize(value, -places, rounding);
  if (!bson::decimal_is_nan(rounded)) return rounded;
  return bson::decimal_add(value, {0, 0});
}

Result<Value> round_whole(std::string_view name, Args args, int places, Rounding rounding) {
  const Value value = args[0];
  if (places >= 0) return value;
  const Decimal128 rounded = bson::decimal_quantize(bson::decimal_from_int64(value.as_int64()), -places, rounding);
  const auto whole = bson::decimal_to_int64_exact(rounded);
  if (whole) return int_or_long(*whole, value.is(Type::kInt32));
  return error(Code{51080}, "invalid conversion from Decimal128 result in ", name, " resulting from arguments: [",
               bson::to_shell(value), ", ", places, "]");
}

template <Rounding rounding>
Result<Value> round_to(std::string_view name, Args args, Arena& arena) {
  const Value value = args[0];
  if (value.is_nullish()) return Value::null();
  if (!value.is_number()) return error(Code{51081}, name, " only supports numeric types, not ", value.type_name());
  int digits = 0;
  if (args.size() > 1) {
    if (args[1].is_nullish()) return Value::null();
    TRY(digits, places(name, args[1]));
  }
  if (value.is(Type::kDecimal128)) return arena.decimal(round_decimal(value.as_decimal(), digits, rounding));
  if (!value.is(Type::kDouble)) return round_whole(name, args, digits, rounding);
  const double real = value.as_double();
  if (!std::isfinite(real)) return value;
  if (digits == 0) return Value::of(rounding == Rounding::kTowardZero ? std::trunc(real) : std::nearbyint(real));
  return Value::of(bson::decimal_to_double(round_decimal(bson::decimal_from_double_34(real), digits, rounding)));
}

Result<Value> round(Args args, Arena& arena) { return round_to<Rounding::kTiesToEven>("$round", args, arena); }
Result<Value> trunc(Args args, Arena& arena) { return round_to<Rounding::kTowardZero>("$trunc", args, arena); }

using Register = RegisterEntry<Expression>;

const Register kAbs{{
    .name = "$abs",
    .summary = "A number without its sign.",
    .evaluate = abs,
    .examples = {{"{$abs: '$a'}", "{a: -5}", "5"},
                 {"{$abs: '$a'}", "{a: -2147483648}", "{$numberLong: '2147483648'}"},
                 {"{$abs: '$a'}", "{a: -2.5}", "2.5"},
                 {"{$abs: '$a'}", "{}", "null"},
                 {"{$abs: '$a'}", "{a: 'x'}", "error 28765"}},
}};
const Register kCeil{{
    .name = "$ceil",
    .summary = "The least whole number that is not less.",
    .evaluate = ceil,
    .examples = {{"{$ceil: '$a'}", "{a: -2.5}", "-2.0"}, {"{$ceil: '$a'}", "{a: 7}", "7"}, {"{$ceil: 'x'}", "{}", "error 28765"}},
}};
const Register kFloor{{
    .name = "$floor",
    .summary = "The greatest whole number that is not greater.",
    .evaluate = floor,
    .examples = {{"{$floor: '$a'}", "{a: -2.5}", "-3.0"}, {"{$floor: '$a'}", "{a: {$numberDecimal: '2.5'}}", "{$numberDecimal: '2'}"},
                 {"{$floor: 'x'}", "{}", "error 28765"}},
}};
const Register kRound{{
    .name = "$round",
    .min_args = 1,
    .max_args = 2,
    .summary = "A number to so many decimal places, halves to the even neighbour.",
    .evaluate = round,
    .null_stops = 1,
    .examples = {{"{$round: '$a'}", "{a: 2.5}", "2.0"},
                 {"{$round: ['$a', 1]}", "{a: 19.25}", "19.2"},
                 {"{$round: ['$a', -2]}", "{a: 1250}", "1200"},
                 {"{$round: ['$a', 101]}", "{a: 1}", "error 51083"},
                 {"{$round: 'x'}", "{}", "error 51081"}},
}};
const Register kTrunc{{
    .name = "$trunc",
    .min_args = 1,
    .max_args = 2,
    .summary = "A number cut off behind so many decimal places.",
    .evaluate = trunc,
    .null_stops = 1,
    .examples = {{"{$trunc: '$a'}", "{a: -2.7}", "-2.0"},
                 {"{$trunc: ['$a', 1]}", "{a: 19.29}", "19.2"},
                 {"{$trunc: 'x'}", "{}", "error 51081"}},
}};

}  // namespace
}  // namespace partita::query
