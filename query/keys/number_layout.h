// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

#include "query/keys/decimal_digits.h"

/// The constants of the number encoding, for the two files that write and read it; number.cpp tells what they mean.
namespace partita::query::keys {

constexpr std::uint8_t kNaN = 0x10;
constexpr std::uint8_t kZero = 0x18;
constexpr std::uint8_t kSmall = 0x19;
constexpr std::uint8_t kFirstWhole = 0x1A;
constexpr std::uint8_t kLarge = 0x1F;
constexpr std::uint8_t kMirror = 0x30;  // Lead of x + lead of -x.
constexpr std::uint8_t kInfinity = 0xFF;

constexpr double kTwoTo53 = 9007199254740992.0;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr int kMantissaBits = 52;
constexpr int kDoubleBias = 1023;
constexpr int kSmallestExponent = 1074;  // 2^-1074 is the smallest double.
constexpr int kFirstLargeExponent = 63;
constexpr int kMantissaGroups = 8;  // Of seven bits: 56 hold the 52.
constexpr int kSpareBits = 7 * kMantissaGroups - kMantissaBits;
constexpr int kTailBias = 6176;
constexpr int kMaxPairs = kDecimalDigits / 2;

constexpr int kWholeSizes[] = {1, 2, 3, 4, 8};

constexpr int whole_class(int bit_width) {
  const int bytes = bit_width / 8;  // With the fraction's bit there are bit_width + 1 bits to hold.
  return bytes < 4 ? bytes : 4;
}

/// How many groups the fraction of a double fills at most behind that whole part.
inline int fraction_groups(std::uint64_t whole) {
  const int bits = kMantissaBits + 1 - std::bit_width(whole);
  return bits <= 0 ? 0 : (bits + 6) / 7;
}

/// The type, which the bytes leave out and two type bits tell.
enum Rank : unsigned { kIsInt32, kIsInt64, kIsDouble, kIsDecimal };

constexpr int kRankBits = 2;
constexpr int kZerosBits = 6;  // How many zeros stood behind a decimal's last digit: up to 33.
constexpr int kExponentBits = 14;

/// The type that zero bits stand for: a function of the number alone.
inline Rank natural_rank(std::uint64_t whole, bool negative) {
  constexpr std::uint64_t kTwoTo31 = std::uint64_t{1} << 31;
  return whole < kTwoTo31 || (negative && whole == kTwoTo31) ? kIsInt32 : kIsInt64;
}

}  // namespace partita::query::keys
