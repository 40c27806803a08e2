// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include "query/keys/number.h"
#include "query/keys/number_layout.h"

// The way back from bytes to numbers, in two steps: what the bytes say, and then of which type it was. See number.cpp.
namespace partita::query::keys {
namespace {

using bson::Type;
using bson::Value;

enum class Form : std::uint8_t { kNaN, kInfinity, kZero, kWhole, kReal, kDecimal };

/// What the bytes say: a number without its type.
struct Number {
  Form form = Form::kNaN;
  bool negative = false;
  std::uint64_t whole = 0;  ///< The magnitude, when kWhole.
  double real = 0;          ///< The magnitude, when kReal.
  DecimalParts decimal;     ///< With stripped zeros, when kDecimal.
};

struct Groups {
  std::uint64_t bits;  ///< 56 of them.
  bool goes_on;        ///< Behind the last one.
};

Groups take_groups(KeyReader& key, int count) {
  Groups groups{0, true};
  for (int i = 0; i < count && groups.goes_on; ++i) {
    const std::uint8_t group = key.take();
    groups.bits |= static_cast<std::uint64_t>(group >> 1) << 7 * (kMantissaGroups - 1 - i);
    groups.goes_on = (group & 1) != 0;
  }
  return groups;
}

void take_decimal(KeyReader& key, Number& number) {
  number.form = Form::kDecimal;
  const int point = static_cast<int>(key.take_big_endian(2)) - kTailBias;
  Uint128 coefficient = 0;
  int digits = 0;
  for (bool goes_on = true; goes_on && digits < kDecimalDigits; digits += 2) {
    const std::uint8_t pair = key.take();
    if (pair >> 1 > 99) key.fail();
    coefficient = coefficient * 100 + (pair >> 1);
    goes_on = (pair & 1) != 0;
  }
  if (coefficient == 0) return key.fail();
  number.decimal.coefficient = coefficient;
  number.decimal.exponent = point - digits;
  number.decimal.strip_zeros();
}

void take_scaled(KeyReader& key, Number& number, int exponent) {
  const Groups groups = take_groups(key, kMantissaGroups);
  if (groups.goes_on) return take_decimal(key, number);
  constexpr std::uint64_t kLeadingOne = std::uint64_t{1} << kMantissaBits;
  const std::uint64_t mantissa = kLeadingOne | groups.bits >> kSpareBits;
  number.form = Form::kReal;
  number.real = std::ldexp(static_cast<double>(mantissa), exponent - kMantissaBits);
}

void take_small(KeyReader& key, Number& number) {
  int bits = key.take();
  if (bits >= 0x80) return take_scaled(key, number, bits - 0xFF);
  bits = bits << 8 | key.take();
  if (bits == 0) return take_decimal(key, number);
  if (bits < 0x7FFF - kSmallestExponent) return key.fail();
  take_scaled(key, number, bits - 0x7FFF);
}

void take_large(KeyReader& key, Number& number) {
  int bits = key.take();
  if (bits == kInfinity) {
    number.form = Form::kInfinity;
    return;
  }
  if (bits < 0x80) return take_scaled(key, number, bits + kFirstLargeExponent);
  bits = (bits & 0x7F) << 8 | key.take();
  if (bits > kDoubleBias) return key.fail();
  take_scaled(key, number, bits);
}

void take_middle(KeyReader& key, Number& number, int size_class) {
  const std::uint64_t bits = key.take_big_endian(static_cast<std::size_t>(kWholeSizes[size_class]));
  number.whole = bits >> 1;
  number.form = Form::kWhole;
  if ((bits & 1) == 0) return;
  const Groups groups = take_groups(key, fraction_groups(number.whole));
  if (groups.goes_on) return take_decimal(key, number);
  number.form = Form::kReal;
  number.real = static_cast<double>(number.whole) + std::ldexp(static_cast<double>(groups.bits), -7 * kMantissaGroups);
}

Number take_bytes(KeyReader& key) {
  Number number;
  std::uint8_t lead = key.take();
  if (lead == kNaN) return number;
  if (lead == kZero) {
    number.form = Form::kZero;
    return number;
  }
  if (lead >> 4 != kNaN >> 4) {
    key.fail();
    return number;
  }
  number.negative = lead < kZero;
  if (number.negative) {
    lead = static_cast<std::uint8_t>(kMirror - lead);
    key.flip();
  }
  if (lead == kSmall) {
    take_small(key, number);
  } else if (lead == kLarge) {
    take_large(key, number);
  } else {
    take_middle(key, number, lead - kFirstWhole);
  }
  if (number.negative) key.flip();
  return number;
}

// ---- Number and type bits together ----

using Scratch = std::array<std::uint8_t, 16>;

Value decimal_value(const DecimalParts& parts, KeyReader& key, Scratch& scratch) {
  if (parts.exponent < kMinDecimalExponent || parts.exponent > kMaxDecimalExponent) key.fail();
  if (key.failed()) return {};
  bson::store(scratch.data(), parts.compose());
  return Value::of_payload(Type::kDecimal128, scratch.data(), scratch.size());
}

/// A decimal with the zeros that once stood behind it.
Value decimal_value(DecimalParts parts, bool negative, KeyReader& key, TypeBitsReader& types, Scratch& scratch) {
  const auto zeros = static_cast<int>(types.take(kZerosBits));
  if (key.failed() || parts.digit_count() + zeros > kDecimalDigits) {
    key.fail();
    return {};
  }
  parts.append_zeros(zeros);
  parts.negative = negative;
  return decimal_value(parts, key, scratch);
}

Value zero_value(Rank rank, KeyReader& key, TypeBitsReader& types, Scratch& scratch) {
  if (rank == kIsInt32) return Value::of(std::int32_t{0});
  if (rank == kIsInt64) return Value::of(std::int64_t{0});
  const bool negative = types.take(1) != 0;
  if (rank == kIsDouble) return Value::of(negative ? -0.0 : 0.0);
  DecimalParts zero;
  zero.negative = negative;
  zero.exponent = static_cast<int>(types.take(kExponentBits)) + kMinDecimalExponent;
  return decimal_value(zero, key, scratch);
}

Value whole_value(const Number& number, Rank rank, KeyReader& key, TypeBitsReader& types, Scratch& scratch) {
  if (rank == kIsDecimal) {
    DecimalParts parts;
    parts.coefficient = number.whole;
    if (number.whole != 0) parts.strip_zeros();
    return decimal_value(parts, number.negative, key, types, scratch);
  }
  const auto magnitude = static_cast<std::int64_t>(number.whole);
  const std::int64_t value = number.negative ? -magnitude : magnitude;
  if (rank == kIsDouble) return Value::of(static_cast<double>(value));
  if (rank == kIsInt64) return Value::of(value);
  if (value != static_cast<std::int32_t>(value)) key.fail();
  return Value::of(static_cast<std::int32_t>(value));
}

Value real_value(const Number& number, Rank rank, KeyReader& key, TypeBitsReader& types, Scratch& scratch) {
  if (rank == kIsDecimal) {
    DecimalParts parts = parts_of_double(number.real);
    if (parts.coefficient != 0) parts.strip_zeros();
    return decimal_value(parts, number.negative, key, types, scratch);
  }
  if (rank == kIsDouble) return Value::of(number.negative ? -number.real : number.real);
  const bool lowest_long = rank == kIsInt64 && number.negative && number.real == kTwoTo63;
  if (!lowest_long) key.fail();
  return Value::of(std::numeric_limits<std::int64_t>::min());
}

/// NaN and infinities: doubles or decimals.
Value special_value(const Number& number, Rank rank, KeyReader& key, Scratch& scratch) {
  if (rank == kIsDecimal) {
    DecimalParts parts;
    parts.kind = number.form == Form::kNaN ? DecimalKind::kNaN : DecimalKind::kInfinity;
    parts.negative = number.negative;
    return decimal_value(parts, key, scratch);
  }
  if (rank != kIsDouble) key.fail();
  if (number.form == Form::kNaN) return Value::of(std::numeric_limits<double>::quiet_NaN());
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  return Value::of(number.negative ? -kInfinite : kInfinite);
}

Rank natural_rank_of(const Number& number) {
  if (number.form == Form::kZero) return kIsInt32;
  if (number.form == Form::kWhole) return natural_rank(number.whole, number.negative);
  return kIsDouble;
}

}  // namespace

Value take_number(KeyReader& key, TypeBitsReader& types, Scratch& scratch) {
  const Number number = take_bytes(key);
  if (number.form == Form::kDecimal) return decimal_value(number.decimal, number.negative, key, types, scratch);
  const auto rank = static_cast<Rank>(types.take(kRankBits) ^ natural_rank_of(number));
  switch (number.form) {
    case Form::kZero:
      return zero_value(rank, key, types, scratch);
    case Form::kWhole:
      return whole_value(number, rank, key, types, scratch);
    case Form::kReal:
      return real_value(number, rank, key, types, scratch);
    default:
      return special_value(number, rank, key, scratch);
  }
}

void skip_number(KeyReader& key) { take_bytes(key); }

}  // namespace partita::query::keys
