// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace partita::bson {
namespace {

Decimal128 decimal(std::string_view text) { return decimal_from_string(text).value(); }

std::string reprinted(std::string_view text) {
  const auto value = decimal_from_string(text);
  return value ? decimal_to_string(*value) : "refused";
}

TEST(Decimal, KeepsDigitsAndExponentAsWritten) {
  for (const char* text : {"1", "1.50", "-0", "-0.0", "0.00", "0E+3", "0E-7", "1E+3", "1.2E+3", "100", "1.0E+10", "1E-7",
                           "0.000001", "1234567890123456789012345678901234", "NaN", "Infinity", "-Infinity", "1E-6176",
                           "1.234567890123456789012345678901234E+36", "1E+6111"}) {
    EXPECT_EQ(reprinted(text), text);
  }
}

TEST(Decimal, ReadsEveryFormThatMongodReads) {
  EXPECT_EQ(reprinted("+1"), "1");
  EXPECT_EQ(reprinted("1e3"), "1E+3");
  EXPECT_EQ(reprinted(".5"), "0.5");
  EXPECT_EQ(reprinted("5."), "5");
  EXPECT_EQ(reprinted("123E-7"), "0.0000123");
  EXPECT_EQ(reprinted("inf"), "Infinity");
  EXPECT_EQ(reprinted("-iNFinity"), "-Infinity");
  EXPECT_EQ(reprinted("-nan"), "NaN");
  EXPECT_EQ(reprinted("1E6144"), "1.000000000000000000000000000000000E+6144");
}

TEST(Decimal, RoundsWhatHasTooManyDigitsAndClampsZeros) {
  EXPECT_EQ(reprinted("12345678901234567890123456789012345"), "1.234567890123456789012345678901234E+34");
  EXPECT_EQ(reprinted(std::string(40, '9')), "1.000000000000000000000000000000000E+40");
  EXPECT_EQ(reprinted(std::string(120, '1') + "E-100"), "11111111111111111111.11111111111111");
  EXPECT_EQ(reprinted("0E7000"), "0E+6111");
  EXPECT_EQ(reprinted("0E-7000"), "0E-6176");
}

TEST(Decimal, RefusesWhatIsNoNumberOrOutOfRange) {
  for (const char* text : {"", " 1", "1 ", "1E+", "1E", "E3", "abc", "-", "+", ".", "1.2.3", "0x10", "--1", "sNaN", "infinit",
                           "1E7000", "1E-7000", "1E6145", "10E6144", "1E-6177", "5E-6177", "1e99999999999"}) {
    EXPECT_EQ(reprinted(text), "refused") << text;
  }
  EXPECT_EQ(reprinted(std::string_view("1\0", 2)), "refused");
}

TEST(Decimal, TakesFifteenDigitsOfADoubleForArithmetic) {
  EXPECT_EQ(decimal_to_string(decimal_from_double(0.1)), "0.100000000000000");
  EXPECT_EQ(decimal_to_string(decimal_from_double(1.5)), "1.50000000000000");
  EXPECT_EQ(decimal_to_string(decimal_from_double(123456789012345678.0)), "1.23456789012346E+17");
  EXPECT_EQ(decimal_to_string(decimal_from_double(1e300)), "1.00000000000000E+300");
  EXPECT_EQ(decimal_to_string(decimal_from_double(5e-324)), "4.94065645841247E-324");
  EXPECT_EQ(decimal_to_string(decimal_from_double(999999999999999.9)), "1.00000000000000E+15");
  EXPECT_EQ(decimal_to_string(decimal_from_double(-0.0)), "-0");
  EXPECT_EQ(decimal_to_string(decimal_from_double(-INFINITY)), "-Infinity");
  EXPECT_TRUE(decimal_is_nan(decimal_from_double(NAN)));
}

TEST(Decimal, KeepsAllOfADoubleForComparison) {
  EXPECT_EQ(decimal_to_string(decimal_from_double_exact(0.1)), "0.1000000000000000055511151231257827");
  EXPECT_EQ(decimal_to_string(decimal_from_double_exact(9007199254740992.0)), "9007199254740992");
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -2.5, 9007199254740991.0}) {
    EXPECT_EQ(decimal_to_double(decimal_from_double_exact(value)), value);
  }
}

TEST(Decimal, GivesAnIntegerOnlyWhenNothingIsLost) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-7}, kMin, kMax}) {
    EXPECT_EQ(decimal_to_int64_exact(decimal_from_int64(value)), value);
  }
  EXPECT_EQ(decimal_to_int64_exact(decimal("5.000")), 5);
  EXPECT_EQ(decimal_to_int64_exact(decimal("12E2")), 1200);
  for (const char* text : {"5.5", "9223372036854775808", "-9223372036854775809", "1E-6000", "NaN", "Infinity"}) {
    EXPECT_EQ(decimal_to_int64_exact(decimal(text)), std::nullopt) << text;
  }
}

TEST(Decimal, ComparesByValueAndNeverWithNaN) {
  EXPECT_TRUE(decimal_equal(decimal("1.0"), decimal("1.00")));
  EXPECT_TRUE(decimal_equal(decimal("0"), decimal("-0E+3")));
  EXPECT_TRUE(decimal_less(decimal("-Infinity"), decimal("-1E6144")));
  EXPECT_TRUE(decimal_less(decimal("1E-6176"), decimal("0.1")));
  EXPECT_FALSE(decimal_less(decimal("NaN"), decimal("1")));
  EXPECT_FALSE(decimal_equal(decimal("NaN"), decimal("NaN")));
}

TEST(Decimal, ReportsSignAndKind) {
  EXPECT_TRUE(decimal_is_negative(decimal("-0")));
  EXPECT_FALSE(decimal_is_negative(decimal("0")));
  EXPECT_TRUE(decimal_is_zero(decimal("0E-100")));
  EXPECT_TRUE(decimal_is_infinite(decimal("-inf")));
  EXPECT_FALSE(decimal_is_nan(decimal("inf")));
}

TEST(Decimal, CalculatesAsMongodDoes) {
  EXPECT_EQ(decimal_to_string(decimal_add(decimal("1.10"), decimal("2.205"))), "3.305");
  EXPECT_EQ(decimal_to_string(decimal_subtract(decimal("1"), decimal("1.0"))), "0.0");
  EXPECT_EQ(decimal_to_string(decimal_multiply(decimal("1.50"), decimal("2.0"))), "3.000");
  EXPECT_EQ(decimal_to_string(decimal_divide(decimal("1"), decimal("3"))), "0.3333333333333333333333333333333333");
  EXPECT_EQ(decimal_to_string(decimal_divide(decimal("1"), decimal("0"))), "Infinity");
}

}  // namespace
}  // namespace partita::bson
