// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/match/whole_number.h"

#include <cmath>
#include <limits>

#include "wire/bson/decimal.h"
#include "wire/bson/json.h"

namespace partita::query {

using bson::Type;
using bson::Value;

namespace {

constexpr double kPastInt64 = 9223372036854775808.0;

std::optional<std::int64_t> truncated_decimal(bson::Decimal128 number) {
  if (bson::decimal_is_nan(number) || bson::decimal_is_infinite(number)) return std::nullopt;
  const bson::Decimal128 rest = bson::decimal_modulo(number, bson::decimal_from_int64(1));
  return bson::decimal_to_int64_exact(bson::decimal_subtract(number, rest));
}

}  // namespace

std::optional<std::int64_t> truncated(Value number) {
  if (number.is(Type::kInt32) || number.is(Type::kInt64)) return number.as_int64();
  if (number.is(Type::kDecimal128)) return truncated_decimal(number.as_decimal());
  if (!number.is(Type::kDouble)) return std::nullopt;
  const double real = number.as_double();
  if (!(real >= -kPastInt64 && real < kPastInt64)) return std::nullopt;
  return static_cast<std::int64_t>(real);
}

Result<std::int64_t> whole_number(const bson::Field& field) {
  const Value value = field.value;
  if (!value.is_number()) return error(Code::FailedToParse, "Expected a number in: ", bson::to_shell(field));
  if (const auto whole = value.exact_int64()) return *whole;
  if (value.is(Type::kDouble) && std::isnan(value.as_double()))
    return error(Code::FailedToParse, "Expected an integer, but found NaN in: ", bson::to_shell(field));
  if (value.is(Type::kDouble) && truncated(value))
    return error(Code::FailedToParse, "Expected an integer: ", bson::to_shell(field));
  return error(Code::FailedToParse, "Cannot represent as a 64-bit integer: ", bson::to_shell(field));
}

Result<std::int64_t> whole_count(const bson::Field& field) {
  TRY(const std::int64_t whole, whole_number(field));
  if (whole < 0) return error(Code::FailedToParse, "Expected a non-negative number in: ", bson::to_shell(field));
  return whole;
}

Result<std::int32_t> whole_small_count(const bson::Field& field) {
  TRY(const std::int64_t whole, whole_number(field));
  const auto small = static_cast<std::int32_t>(whole);
  if (small != whole) return error(Code::FailedToParse, "Cannot represent ", bson::to_shell(field), " in an int");
  CHECK_OK(whole_count(field));
  return small;
}

}  // namespace partita::query
