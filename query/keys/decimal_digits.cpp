// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/decimal_digits.h"

// The calling convention without global state; see wire/bson/decimal.cpp.
#define DECIMAL_CALL_BY_REFERENCE 0
#define DECIMAL_GLOBAL_ROUNDING 0
#define DECIMAL_GLOBAL_EXCEPTION_FLAGS 0
#include <bid_conf.h>
#include <bid_functions.h>

#include <algorithm>
#include <array>
#include <limits>

namespace partita::query::keys {
namespace {

// The high word: sign, then 14 bits of exponent, then the top of the coefficient. Where the two bits behind the sign are
// both set, it is an infinity, a NaN, or a coefficient beyond 34 digits.
constexpr int kExponentShift = 49;
constexpr std::uint64_t kExponentMask = 0x3FFF;
constexpr std::uint64_t kCoefficientMask = (std::uint64_t{1} << kExponentShift) - 1;
constexpr int kNonCanonicalExponentShift = 47;
constexpr std::uint64_t kInfinityBits = 0x78;
constexpr std::uint64_t kNaNBits = 0x7C;

constexpr std::array<Uint128, kDecimalDigits + 1> kPowersOfTen = [] {
  std::array<Uint128, kDecimalDigits + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

}  // namespace

DecimalParts DecimalParts::of(bson::Decimal128 decimal) {
  const std::uint64_t high = decimal.high;
  const std::uint64_t top = high >> 56 & 0x7F;
  DecimalParts parts;
  parts.negative = high >> 63 != 0;
  if ((top & kNaNBits) == kNaNBits) {
    parts.kind = DecimalKind::kNaN;
  } else if ((top & kInfinityBits) == kInfinityBits) {
    parts.kind = DecimalKind::kInfinity;
  } else if ((top & 0x60) == 0x60) {
    parts.exponent = static_cast<int>(high >> kNonCanonicalExponentShift & kExponentMask) + kMinDecimalExponent;
  } else {
    parts.exponent = static_cast<int>(high >> kExponentShift & kExponentMask) + kMinDecimalExponent;
    parts.coefficient = Uint128{high & kCoefficientMask} << 64 | decimal.low;
    if (parts.coefficient >= kPowersOfTen[kDecimalDigits]) parts.coefficient = 0;
  }
  return parts;
}

bson::Decimal128 DecimalParts::compose() const {
  const std::uint64_t sign = std::uint64_t{negative} << 63;
  if (kind == DecimalKind::kNaN) return {0, sign | kNaNBits << 56};
  if (kind == DecimalKind::kInfinity) return {0, sign | kInfinityBits << 56};
  const auto biased = static_cast<std::uint64_t>(exponent - kMinDecimalExponent);
  return {static_cast<std::uint64_t>(coefficient),
          sign | biased << kExponentShift | static_cast<std::uint64_t>(coefficient >> 64)};
}

int DecimalParts::digit_count() const {
  const auto above = std::upper_bound(kPowersOfTen.begin(), kPowersOfTen.end(), coefficient);
  return static_cast<int>(above - kPowersOfTen.begin());
}

int DecimalParts::strip_zeros() {
  if ((coefficient & 1) != 0) return 0;
  int stripped = 0;
  for (int step : {16, 8, 4, 2, 1}) {
    while (coefficient % kPowersOfTen[step] == 0) {
      coefficient /= kPowersOfTen[step];
      stripped += step;
    }
  }
  exponent += stripped;
  return stripped;
}

void DecimalParts::append_zeros(int count) {
  coefficient *= kPowersOfTen[count];
  exponent -= count;
}

std::optional<std::uint64_t> DecimalParts::whole_magnitude() const {
  constexpr int kMaxZeros = 18;  // 10^19 is above 2^63.
  constexpr Uint128 kLimit = Uint128{1} << 63;
  if (exponent < 0 || exponent > kMaxZeros || coefficient >= kLimit) return std::nullopt;
  const Uint128 magnitude = coefficient * kPowersOfTen[exponent];
  if (magnitude >= kLimit) return std::nullopt;
  return static_cast<std::uint64_t>(magnitude);
}

std::uint64_t DecimalParts::truncated_magnitude() const {
  if (exponent >= 0) return static_cast<std::uint64_t>(coefficient * kPowersOfTen[exponent]);
  if (-exponent > kDecimalDigits) return 0;
  return static_cast<std::uint64_t>(coefficient / kPowersOfTen[-exponent]);
}

TruncatedDouble truncate_to_double(const DecimalParts& finite) {
  DecimalParts magnitude = finite;
  magnitude.negative = false;
  // Stripped zeros may have left an exponent that a decimal cannot hold: then it is beyond all doubles anyway.
  if (magnitude.exponent > kMaxDecimalExponent) return {std::numeric_limits<double>::max(), false};
  const bson::Decimal128 bits = magnitude.compose();
  BID_UINT128 bid;
  bid.w[0] = bits.low;
  bid.w[1] = bits.high;
  _IDEC_flags flags = 0;
  const double value = bid128_to_binary64(bid, BID_ROUNDING_TO_ZERO, &flags);
  return {value, (flags & BID_INEXACT_EXCEPTION) == 0};
}

DecimalParts parts_of_double(double value) {
  _IDEC_flags flags = 0;
  const BID_UINT128 bid = binary64_to_bid128(value, BID_ROUNDING_TO_NEAREST, &flags);
  return DecimalParts::of({bid.w[0], bid.w[1]});
}

}  // namespace partita::query::keys
