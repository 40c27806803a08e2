// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "wire/bson/types.h"

/// What key encoding has to know about a Decimal128 that arithmetic does not tell: its digits, and where it stands among
/// the doubles.
namespace partita::query::keys {

__extension__ using Uint128 = unsigned __int128;

constexpr int kDecimalDigits = 34;
constexpr int kMinDecimalExponent = -6176;
constexpr int kMaxDecimalExponent = 6111;

enum class DecimalKind : std::uint8_t { kFinite, kInfinity, kNaN };

/// (-1)^negative x coefficient x 10^exponent. Encodings that the standard calls non-canonical are read as it demands:
/// a coefficient of more than 34 digits is zero.
struct DecimalParts {
  DecimalKind kind = DecimalKind::kFinite;
  bool negative = false;
  Uint128 coefficient = 0;
  int exponent = 0;

  static DecimalParts of(bson::Decimal128 decimal);
  bson::Decimal128 compose() const;

  int digit_count() const;  ///< 0 for zero.
  /// Moves trailing zeros of the coefficient into the exponent and returns how many there were. Not for zero.
  int strip_zeros();
  /// The other way round. The caller knows that the digits suffice.
  void append_zeros(int count);
  /// The magnitude as an integer below 2^63, if it is one. Wants stripped zeros.
  std::optional<std::uint64_t> whole_magnitude() const;
  /// The magnitude without its fraction; only below 2^63.
  std::uint64_t truncated_magnitude() const;
};

/// A magnitude's place among the doubles: the greatest double that is not above it, and whether it is that very number.
struct TruncatedDouble {
  double value;
  bool exact;
};
TruncatedDouble truncate_to_double(const DecimalParts& finite);

/// The double's exact value; only for doubles that 34 digits can hold.
DecimalParts parts_of_double(double value);

}  // namespace partita::query::keys
