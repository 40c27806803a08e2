// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/number.h"

#include <cmath>

#include "query/keys/number_layout.h"

// Ints, longs, doubles and decimals share one line of numbers, and bytes must say exactly where on it a number stands:
// 0.1 as a decimal lies between two doubles, 2^53+1 is a long that no double is, 1E6144 is a decimal beyond them all.
//
// The idea: every number but some decimals is a double or a 64-bit integer, so these get a compact binary encoding that
// ends where the digits end. A decimal that is neither is written as the greatest of them below it ("truncated"),
// marked as going on, and then once more in full as a decimal. Truncation never swaps two numbers, so the binary part
// orders all that differ there; those which agree are either equal to the truncated number, and then end earlier, or
// are decimals, which the decimal part orders.
//
//   NaN        0x10
//   zero       0x18
//   positive   lead 0x19..0x1F, then by lead:
//     0x19     below 1          exponent (see below), mantissa groups
//     0x1A-1E  1 <= x < 2^63    1, 2, 3, 4 or 8 bytes, big endian: the whole part and in the last bit "has a fraction";
//                               then, if so, fraction groups
//     0x1F     2^63 and above   exponent, mantissa groups; 0xFF alone is infinity
//   negative   0x30 - lead, then the positive's bytes complemented
//
//   groups     seven bits and in the last bit "goes on", as many as the bits need, zeros at the end left out. When the
//              last group that a double can fill (the eighth of a mantissa) still goes on, a decimal part follows.
//              A whole part of 53 bits or more leaves doubles no fraction: there the decimal part follows at once.
//   decimal    p + 6176 as two bytes, for 0.d1d2d3... x 10^p; then pairs of digits, twice the pair plus "goes on"
//   exponent   2^-127..2^-1: 0xFF - e as one byte; below: 0x7FFF - e as two; under the smallest double: 0x0000 and
//              the decimal part. Upwards 2^63..2^189: e - 63 as one byte; above: 0x8000 + e as two.
//
//   5 = 1A 0A      300 = 1B 02 58      1.5 = 1A 03 80      -5 = 16 F5      decimal 0.1 = 19 FB 99 CD 67 33 99 CD 67 21 18 20 14
//
// The types themselves go to the TypeBits: two bits, zero for the type that suits the number best (int, then long, then
// double), so that they cost nothing where an application sticks to the obvious types.
namespace partita::query::keys {
namespace {

using bson::Type;
using bson::Value;

// ---- Magnitudes ----

void store_big_endian(std::uint8_t* to, std::uint64_t bits) { bson::store(to, __builtin_bswap64(bits)); }

std::uint8_t* put_two(std::uint8_t* to, int bits) {
  to[0] = static_cast<std::uint8_t>(bits >> 8);
  to[1] = static_cast<std::uint8_t>(bits);
  return to + 2;
}

std::uint8_t* put_whole(std::uint8_t* to, std::uint64_t magnitude, bool has_fraction) {
  const int size_class = whole_class(std::bit_width(magnitude));
  const int size = kWholeSizes[size_class];
  *to = static_cast<std::uint8_t>(kFirstWhole + size_class);
  store_big_endian(to + 1, (magnitude << 1 | std::uint64_t{has_fraction}) << (64 - 8 * size));
  return to + 1 + size;
}

/// Spreads 56 bits over eight bytes, seven to each, with the lowest bit of every byte left zero.
std::uint64_t spread(std::uint64_t bits) {
  bits = (bits & 0x00FFFFFFF0000000) << 4 | (bits & 0x000000000FFFFFFF);
  bits = (bits & 0x0FFFC0000FFFC000) << 2 | (bits & 0x00003FFF00003FFF);
  bits = (bits & 0x3F803F803F803F80) << 1 | (bits & 0x007F007F007F007F);
  return bits << 1;
}

constexpr std::uint64_t kGoesOn = 0x0101010101010101;

/// The digits end with the last group that is not zero.
std::uint8_t* put_groups(std::uint8_t* to, std::uint64_t bits) {
  const std::uint64_t groups = spread(bits);
  const int count = groups == 0 ? 1 : 8 - std::countr_zero(groups) / 8;
  const std::uint64_t all_but_last = ~(~std::uint64_t{0} >> 8 * (count - 1));
  store_big_endian(to, groups | (kGoesOn & all_but_last));
  return to + count;
}

/// All groups that a double can fill, the last one going on as well.
std::uint8_t* put_groups_and_go_on(std::uint8_t* to, std::uint64_t bits, int count) {
  store_big_endian(to, spread(bits) | kGoesOn);
  return to + count;
}

/// A double of at least 1 and below 2^63.
std::uint8_t* put_middle(std::uint8_t* to, double magnitude, bool exact) {
  const auto whole = static_cast<std::uint64_t>(magnitude);
  const double fraction = magnitude - static_cast<double>(whole);
  if (exact && fraction == 0) return put_whole(to, whole, false);
  to = put_whole(to, whole, true);
  const auto bits = static_cast<std::uint64_t>(std::ldexp(fraction, 7 * kMantissaGroups));
  return exact ? put_groups(to, bits) : put_groups_and_go_on(to, bits, fraction_groups(whole));
}

std::uint8_t* put_exponent(std::uint8_t* to, int exponent) {
  if (exponent < 0) {
    *to++ = kSmall;
    if (exponent < -127) return put_two(to, 0x7FFF + exponent);
    *to++ = static_cast<std::uint8_t>(0xFF + exponent);
    return to;
  }
  *to++ = kLarge;
  if (exponent >= kFirstLargeExponent + 127) return put_two(to, 0x8000 | exponent);
  *to++ = static_cast<std::uint8_t>(exponent - kFirstLargeExponent);
  return to;
}

/// A double below 1 or not below 2^63. Zero stands for decimals that are smaller than every double.
std::uint8_t* put_scaled(std::uint8_t* to, double magnitude, bool exact) {
  if (magnitude == 0) {
    *to = kSmall;
    return put_two(to + 1, 0);
  }
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << kMantissaBits) - 1);
  int exponent = static_cast<int>(bits >> kMantissaBits) - kDoubleBias;
  if (exponent == -kDoubleBias) {  // Subnormal: no leading one is understood, so find it.
    const int leading = std::bit_width(mantissa) - 1;
    exponent = leading - kSmallestExponent;
    mantissa = mantissa << (kMantissaBits - leading) & ((std::uint64_t{1} << kMantissaBits) - 1);
  }
  to = put_exponent(to, exponent);
  mantissa <<= kSpareBits;
  return exact ? put_groups(to, mantissa) : put_groups_and_go_on(to, mantissa, kMantissaGroups);
}

std::uint8_t* put_real(std::uint8_t* to, double magnitude, bool exact) {
  if (magnitude >= 1 && magnitude < kTwoTo63) return put_middle(to, magnitude, exact);
  return put_scaled(to, magnitude, exact);
}

std::uint8_t* put_infinity(std::uint8_t* to) {
  to[0] = kLarge;
  to[1] = kInfinity;
  return to + 2;
}

/// The decimal part: wants stripped zeros.
std::uint8_t* put_decimal(std::uint8_t* to, DecimalParts parts) {
  const int digits = parts.digit_count();
  to = put_two(to, parts.exponent + digits + kTailBias);
  parts.append_zeros(kDecimalDigits - digits);
  std::uint8_t pairs[kMaxPairs];
  for (int i = kMaxPairs; i-- > 0; parts.coefficient /= 100) pairs[i] = static_cast<std::uint8_t>(parts.coefficient % 100);
  const int count = (digits + 1) / 2;
  for (int i = 0; i < count; ++i) *to++ = static_cast<std::uint8_t>(pairs[i] << 1 | (i + 1 < count ? 1 : 0));
  return to;
}

/// A decimal that is neither zero nor a whole number of 63 bits nor a double: truncated, then in full.
std::uint8_t* put_inexact(std::uint8_t* to, const DecimalParts& parts, double truncated) {
  if (truncated >= kTwoTo53 && truncated < kTwoTo63) {
    to = put_whole(to, parts.truncated_magnitude(), true);
  } else {
    to = put_real(to, truncated, false);
  }
  return put_decimal(to, parts);
}

std::uint8_t* finish(std::uint8_t* begin, std::uint8_t* end, bool negative) {
  if (!negative) return end;
  *begin = static_cast<std::uint8_t>(kMirror - *begin);
  for (std::uint8_t* at = begin + 1; at != end; ++at) *at ^= 0xFF;
  return end;
}

void note(TypeBits* types, Rank rank, Rank natural) {
  if (types != nullptr) types->put(rank ^ natural, kRankBits);
}

// ---- Numbers, by type ----

std::uint8_t* put_integer(std::uint8_t* to, std::int64_t value, Rank rank, TypeBits* types) {
  const bool negative = value < 0;
  const std::uint64_t magnitude = negative ? -static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  if (magnitude == 0) {
    note(types, rank, kIsInt32);
    *to = kZero;
    return to + 1;
  }
  if (magnitude >> 63 != 0) {  // Only the lowest long: a double like its neighbours below.
    note(types, rank, kIsDouble);
    return finish(to, put_real(to, kTwoTo63, true), negative);
  }
  note(types, rank, natural_rank(magnitude, negative));
  return finish(to, put_whole(to, magnitude, false), negative);
}

std::uint8_t* put_double(std::uint8_t* to, double value, TypeBits* types) {
  if (std::isnan(value)) {
    note(types, kIsDouble, kIsDouble);
    *to = kNaN;
    return to + 1;
  }
  const bool negative = std::signbit(value);
  const double magnitude = std::fabs(value);
  if (magnitude == 0) {
    note(types, kIsDouble, kIsInt32);
    if (types != nullptr) types->put(negative, 1);
    *to = kZero;
    return to + 1;
  }
  if (std::isinf(magnitude)) {
    note(types, kIsDouble, kIsDouble);
    return finish(to, put_infinity(to), negative);
  }
  const bool whole = magnitude < kTwoTo63 && magnitude == std::trunc(magnitude);
  note(types, kIsDouble, whole ? natural_rank(static_cast<std::uint64_t>(magnitude), negative) : kIsDouble);
  return finish(to, put_real(to, magnitude, true), negative);
}

std::uint8_t* put_decimal_zero(std::uint8_t* to, const DecimalParts& zero, TypeBits* types) {
  note(types, kIsDecimal, kIsInt32);
  if (types != nullptr) {
    types->put(zero.negative, 1);
    types->put(static_cast<unsigned>(zero.exponent - kMinDecimalExponent), kExponentBits);
  }
  *to = kZero;
  return to + 1;
}

std::uint8_t* put_decimal128(std::uint8_t* to, bson::Decimal128 value, TypeBits* types) {
  DecimalParts parts = DecimalParts::of(value);
  if (parts.kind == DecimalKind::kNaN) {
    note(types, kIsDecimal, kIsDouble);
    *to = kNaN;
    return to + 1;
  }
  if (parts.kind == DecimalKind::kInfinity) {
    note(types, kIsDecimal, kIsDouble);
    return finish(to, put_infinity(to), parts.negative);
  }
  if (parts.coefficient == 0) return put_decimal_zero(to, parts, types);

  std::uint8_t* end;
  const auto zeros = static_cast<unsigned>(parts.strip_zeros());
  if (const auto whole = parts.whole_magnitude()) {
    note(types, kIsDecimal, natural_rank(*whole, parts.negative));
    end = put_whole(to, *whole, false);
  } else if (const TruncatedDouble truncated = truncate_to_double(parts); truncated.exact) {
    note(types, kIsDecimal, kIsDouble);
    end = put_real(to, truncated.value, true);
  } else {
    end = put_inexact(to, parts, truncated.value);  // Nothing but a decimal: its type goes without saying.
  }
  if (types != nullptr) types->put(zeros, kZerosBits);
  return finish(to, end, parts.negative);
}

}  // namespace

std::uint8_t* put_number(std::uint8_t* to, Value number, TypeBits* types) {
  switch (number.type()) {
    case Type::kInt32:
      return put_integer(to, number.as_int32(), kIsInt32, types);
    case Type::kInt64:
      return put_integer(to, number.as_int64(), kIsInt64, types);
    case Type::kDouble:
      return put_double(to, number.as_double(), types);
    default:
      return put_decimal128(to, number.as_decimal(), types);
  }
}

}  // namespace partita::query::keys
