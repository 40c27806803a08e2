// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "wire/bson/types.h"

/// Decimal128 arithmetic by Intel's decimal library, the one MongoDB itself uses. Rounding is to nearest, ties to even.
namespace partita::bson {

Decimal128 decimal_from_int64(std::int64_t value);
/// With 15 significant digits, as MongoDB converts a double that meets a decimal in arithmetic: $multiply, $subtract,
/// $divide, $inc, $toDecimal. Sums ($add, $sum) are the exception: they take the double exactly.
Decimal128 decimal_from_double(double value);
/// The double's exact value where 34 digits hold it; correctly rounded where not. For comparisons.
Decimal128 decimal_from_double_exact(double value);
double decimal_to_double(Decimal128 value);
std::optional<std::int64_t> decimal_to_int64_exact(Decimal128 value);
/// The whole text must be a number (or "Infinity", "-inf", "NaN" in any case); more than 34 digits are rounded; nullopt
/// for anything else and for what lies out of range.
std::optional<Decimal128> decimal_from_string(std::string_view text);
std::string decimal_to_string(Decimal128 value);

bool decimal_is_zero(Decimal128 value);
bool decimal_is_nan(Decimal128 value);
bool decimal_is_infinite(Decimal128 value);
bool decimal_is_negative(Decimal128 value);  ///< The sign bit, also of zero and NaN.
bool decimal_less(Decimal128 a, Decimal128 b);
bool decimal_equal(Decimal128 a, Decimal128 b);  ///< 1.0 equals 1.00.

/// By exact value, NaN below all numbers and equal to itself: 0.1 as a decimal is less than 0.1 as a double, whose value is
/// a little above a tenth.
std::weak_ordering decimal_compare(Decimal128 a, Decimal128 b);
std::weak_ordering decimal_compare(Decimal128 a, double b);

Decimal128 decimal_add(Decimal128 a, Decimal128 b);
Decimal128 decimal_subtract(Decimal128 a, Decimal128 b);
Decimal128 decimal_multiply(Decimal128 a, Decimal128 b);
Decimal128 decimal_divide(Decimal128 a, Decimal128 b);
/// What truncating division leaves, with the dividend's sign.
Decimal128 decimal_modulo(Decimal128 a, Decimal128 b);

}  // namespace partita::bson
