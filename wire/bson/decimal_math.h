// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/decimal.h"

/// Functions of decimals beyond the four operations, as expressions offer them. Their results have the digits that MongoDB
/// gives them: as many as there is room for, unless the function is exact.
namespace partita::bson {

enum class Rounding : std::uint8_t { kTiesToEven, kDown, kUp, kTowardZero };

/// The number as a multiple of 10 to the power of `exponent`; NaN where that takes more than 34 digits.
Decimal128 decimal_quantize(Decimal128 value, int exponent, Rounding rounding);
/// The double with 34 digits, zeros behind those that it has.
Decimal128 decimal_from_double_34(double value);
/// What `rounding` makes of it; nullopt where it does not fit.
std::optional<std::int64_t> decimal_to_int64(Decimal128 value, Rounding rounding);
std::optional<std::int32_t> decimal_to_int32(Decimal128 value, Rounding rounding);

Decimal128 decimal_abs(Decimal128 value);
Decimal128 decimal_negate(Decimal128 value);
Decimal128 decimal_sqrt(Decimal128 value);
Decimal128 decimal_exp(Decimal128 value);
Decimal128 decimal_ln(Decimal128 value);
Decimal128 decimal_log(Decimal128 value, Decimal128 base);
Decimal128 decimal_log10(Decimal128 value);
Decimal128 decimal_pow(Decimal128 base, Decimal128 exponent);

Decimal128 decimal_sin(Decimal128 value);
Decimal128 decimal_cos(Decimal128 value);
Decimal128 decimal_tan(Decimal128 value);
Decimal128 decimal_asin(Decimal128 value);
Decimal128 decimal_acos(Decimal128 value);
Decimal128 decimal_atan(Decimal128 value);
Decimal128 decimal_atan2(Decimal128 y, Decimal128 x);
Decimal128 decimal_sinh(Decimal128 value);
Decimal128 decimal_cosh(Decimal128 value);
Decimal128 decimal_tanh(Decimal128 value);
Decimal128 decimal_asinh(Decimal128 value);
Decimal128 decimal_acosh(Decimal128 value);
Decimal128 decimal_atanh(Decimal128 value);

}  // namespace partita::bson
