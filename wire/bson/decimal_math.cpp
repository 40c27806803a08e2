// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/decimal_math.h"

#include "wire/bson/bid.h"

namespace partita::bson {
namespace {

_IDEC_round mode_of(Rounding rounding) {
  constexpr _IDEC_round kModes[] = {0, 1, 2, 3};  // Intel's numbers, in our order.
  return kModes[static_cast<int>(rounding)];
}

/// Zero with a given exponent.
Decimal128 zero(int exponent) {
  return {0, static_cast<std::uint64_t>(exponent + kDecimalExponentBias) << kDecimalExponentShift};
}

/// With as many digits as there is room for: MongoDB adds a zero of the least exponent to what these functions yield.
Decimal128 widened(BID_UINT128 value) { return decimal_add(from_bid(value), zero(-kDecimalExponentBias)); }

template <auto function>
Decimal128 apply(Decimal128 value) {
  _IDEC_flags flags = 0;
  return from_bid(function(to_bid(value), kToNearestEven, &flags));
}

}  // namespace

Decimal128 decimal_quantize(Decimal128 value, int exponent, Rounding rounding) {
  _IDEC_flags flags = 0;
  return from_bid(bid128_quantize(to_bid(value), to_bid(zero(exponent)), mode_of(rounding), &flags));
}

Decimal128 decimal_from_double_34(double value) {
  _IDEC_flags flags = 0;
  return widened(binary64_to_bid128(value, kToNearestEven, &flags));
}

std::optional<std::int64_t> decimal_to_int64(Decimal128 value, Rounding rounding) {
  _IDEC_flags flags = 0;
  const BID_UINT128 bid = to_bid(value);
  const std::int64_t whole =
      rounding == Rounding::kTowardZero ? bid128_to_int64_int(bid, &flags) : bid128_to_int64_rnint(bid, &flags);
  return (flags & BID_INVALID_EXCEPTION) != 0 ? std::nullopt : std::optional(whole);
}

std::optional<std::int32_t> decimal_to_int32(Decimal128 value, Rounding rounding) {
  const auto whole = decimal_to_int64(value, rounding);
  if (!whole || *whole != static_cast<std::int32_t>(*whole)) return std::nullopt;
  return static_cast<std::int32_t>(*whole);
}

Decimal128 decimal_abs(Decimal128 value) { return from_bid(bid128_abs(to_bid(value))); }
Decimal128 decimal_negate(Decimal128 value) { return from_bid(bid128_negate(to_bid(value))); }
Decimal128 decimal_sqrt(Decimal128 value) { return apply<bid128_sqrt>(value); }
Decimal128 decimal_exp(Decimal128 value) { return apply<bid128_exp>(value); }
Decimal128 decimal_ln(Decimal128 value) { return apply<bid128_log>(value); }
Decimal128 decimal_log10(Decimal128 value) { return apply<bid128_log10>(value); }

Decimal128 decimal_log(Decimal128 value, Decimal128 base) {
  if (decimal_equal(base, decimal_from_int64(10))) return decimal_log10(value);
  if (decimal_equal(base, decimal_from_int64(2))) return apply<bid128_log2>(value);
  return decimal_divide(decimal_ln(value), decimal_ln(base));
}

Decimal128 decimal_pow(Decimal128 base, Decimal128 exponent) {
  _IDEC_flags flags = 0;
  return widened(bid128_pow(to_bid(base), to_bid(exponent), kToNearestEven, &flags));
}

Decimal128 decimal_sin(Decimal128 value) { return apply<bid128_sin>(value); }
Decimal128 decimal_cos(Decimal128 value) { return apply<bid128_cos>(value); }
Decimal128 decimal_tan(Decimal128 value) { return apply<bid128_tan>(value); }
Decimal128 decimal_asin(Decimal128 value) { return apply<bid128_asin>(value); }
Decimal128 decimal_acos(Decimal128 value) { return apply<bid128_acos>(value); }
Decimal128 decimal_atan(Decimal128 value) { return apply<bid128_atan>(value); }
Decimal128 decimal_sinh(Decimal128 value) { return apply<bid128_sinh>(value); }
Decimal128 decimal_cosh(Decimal128 value) { return apply<bid128_cosh>(value); }
Decimal128 decimal_tanh(Decimal128 value) { return apply<bid128_tanh>(value); }
Decimal128 decimal_asinh(Decimal128 value) { return apply<bid128_asinh>(value); }
Decimal128 decimal_acosh(Decimal128 value) { return apply<bid128_acosh>(value); }
Decimal128 decimal_atanh(Decimal128 value) { return apply<bid128_atanh>(value); }

Decimal128 decimal_atan2(Decimal128 y, Decimal128 x) {
  _IDEC_flags flags = 0;
  return from_bid(bid128_atan2(to_bid(y), to_bid(x), kToNearestEven, &flags));
}

}  // namespace partita::bson
