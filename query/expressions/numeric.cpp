// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/numeric.h"

#include "wire/bson/json.h"

namespace partita::query {

Result<std::int64_t> coerce_long(bson::Value number) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  switch (number.type()) {
    case bson::Type::kInt32:
    case bson::Type::kInt64:
      return number.as_int64();
    case bson::Type::kDecimal128:
      return bson::decimal_to_int64(number.as_decimal(), bson::Rounding::kTiesToEven).value_or(INT64_MIN);
    default:
      break;
  }
  const double real = number.as_double();
  if (real >= -kTwoTo63 && real < kTwoTo63) return static_cast<std::int64_t>(real);
  return error(Code{31109}, "Can't coerce out of range value ", bson::to_shell(number), " to long");
}

}  // namespace partita::query
