// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/clamped_number.h"

#include <algorithm>

#include "wire/bson/decimal.h"
#include "wire/bson/decimal_math.h"

namespace partita::bson {
namespace {

std::int64_t end_of(bool negative) { return negative ? INT64_MIN : INT64_MAX; }

std::int64_t from_decimal(Decimal128 number) {
  if (decimal_is_nan(number)) return 0;
  return decimal_to_int64(number, Rounding::kTiesToEven).value_or(end_of(decimal_is_negative(number)));
}

std::int64_t from_double(double number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (number != number) return 0;
  return number >= -kTwoTo63 && number < kTwoTo63 ? static_cast<std::int64_t>(number) : end_of(number < 0);
}

}  // namespace

std::int64_t clamped_int64(Value number) {
  switch (number.type()) {
    case Type::kDecimal128:
      return from_decimal(number.as_decimal());
    case Type::kDouble:
      return from_double(number.as_double());
    default:
      return number.as_int64();
  }
}

std::int32_t clamped_int32(Value number) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(clamped_int64(number), INT32_MIN, INT32_MAX));
}

}  // namespace partita::bson
