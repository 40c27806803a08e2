// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/bson/decimal.h"

#include <bson/bson.h>

#include <algorithm>
#include <cmath>

#include "wire/bson/bid.h"

namespace partita::bson {
namespace {

template <auto operation>
Decimal128 arithmetic(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return from_bid(operation(to_bid(a), to_bid(b), kToNearestEven, &flags));
}

template <auto predicate>
bool compare_quietly(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return predicate(to_bid(a), to_bid(b), &flags) != 0;
}

/// 10 to the power of `exponent`, with that very exponent, as a pattern for bid128_quantize.
BID_UINT128 quantum(int exponent) {
  BID_UINT128 bid;
  bid.w[0] = 1;
  bid.w[1] = static_cast<std::uint64_t>(exponent + kDecimalExponentBias) << kDecimalExponentShift;
  return bid;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_digits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
  const std::string_view digits(text.begin(), end);
  text.remove_prefix(digits.size());
  return digits;
}

bool take_sign(std::string_view& text) {
  if (!text.starts_with('+') && !text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; });
}

/// [+-] digits [. digits] [e [+-] digits], or an infinity or NaN by name. The library reads what it can and takes the
/// rest for NaN, so the form is checked here.
bool is_decimal_text(std::string_view text) {
  take_sign(text);
  for (const std::string_view name : {"inf", "infinity", "nan"}) {
    if (equals_ignoring_case(text, name)) return true;
  }
  std::size_t digits = take_digits(text).size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += take_digits(text).size();
  }
  if (digits == 0) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  take_sign(text);
  return !take_digits(text).empty() && text.empty();
}

}  // namespace

Decimal128 decimal_from_int64(std::int64_t value) { return from_bid(bid128_from_int64(value)); }

Decimal128 decimal_from_double_exact(double value) {
  _IDEC_flags flags = 0;
  return from_bid(binary64_to_bid128(value, kToNearestEven, &flags));
}

Decimal128 decimal_from_double(double value) {
  constexpr int kDigits = 15;
  constexpr std::uint64_t kSixteenDigits = 1'000'000'000'000'000;
  _IDEC_flags flags = 0;
  const BID_UINT128 exact = binary64_to_bid128(value, kToNearestEven, &flags);
  if (!bid128_isFinite(exact) || bid128_isZero(exact)) return from_bid(exact);
  const int last_digit = bid128_ilogb(exact, &flags) - (kDigits - 1);
  const BID_UINT128 rounded = bid128_quantize(exact, quantum(last_digit), kToNearestEven, &flags);
  if (rounded.w[0] != kSixteenDigits) return from_bid(rounded);
  // 9.999... was carried to 10.000...: one digit too many.
  return from_bid(bid128_quantize(exact, quantum(last_digit + 1), kToNearestEven, &flags));
}

double decimal_to_double(Decimal128 value) {
  _IDEC_flags flags = 0;
  return bid128_to_binary64(to_bid(value), kToNearestEven, &flags);
}

std::optional<std::int64_t> decimal_to_int64_exact(Decimal128 value) {
  _IDEC_flags flags = 0;
  const std::int64_t whole = bid128_to_int64_xint(to_bid(value), &flags);
  if ((flags & (BID_INEXACT_EXCEPTION | BID_INVALID_EXCEPTION)) != 0) return std::nullopt;
  return whole;
}

std::optional<Decimal128> decimal_from_string(std::string_view text) {
  if (!is_decimal_text(text)) return std::nullopt;
  std::string terminated(text);
  _IDEC_flags flags = 0;
  const BID_UINT128 bid = bid128_from_string(terminated.data(), kToNearestEven, &flags);
  const bool zero = text.find_first_of("123456789") >= text.find_first_of("eE");  // Its exponent is clamped, not refused.
  const _IDEC_flags range = zero ? 0 : BID_OVERFLOW_EXCEPTION | BID_UNDERFLOW_EXCEPTION;
  if ((flags & (range | BID_INVALID_EXCEPTION)) != 0) return std::nullopt;
  return from_bid(bid);
}

std::string decimal_to_string(Decimal128 value) {
  bson_decimal128_t decimal;
  decimal.low = value.low;
  decimal.high = value.high;
  char text[BSON_DECIMAL128_STRING];
  bson_decimal128_to_string(&decimal, text);
  return text;
}

bool decimal_is_zero(Decimal128 value) { return bid128_isZero(to_bid(value)) != 0; }
bool decimal_is_nan(Decimal128 value) { return bid128_isNaN(to_bid(value)) != 0; }
bool decimal_is_infinite(Decimal128 value) { return bid128_isInf(to_bid(value)) != 0; }
bool decimal_is_negative(Decimal128 value) { return (value.high >> 63) != 0; }
bool decimal_less(Decimal128 a, Decimal128 b) { return compare_quietly<bid128_quiet_less>(a, b); }
bool decimal_equal(Decimal128 a, Decimal128 b) { return compare_quietly<bid128_quiet_equal>(a, b); }

std::weak_ordering decimal_compare(Decimal128 a, Decimal128 b) {
  if (decimal_less(a, b)) return std::weak_ordering::less;
  if (decimal_less(b, a)) return std::weak_ordering::greater;
  return decimal_is_nan(b) <=> decimal_is_nan(a);  // Neither is less: equal, or at least one is NaN.
}

std::weak_ordering decimal_compare(Decimal128 a, double b) {
  _IDEC_flags flags = 0;
  const Decimal128 cut = from_bid(binary64_to_bid128(b, kTowardZero, &flags));
  const std::weak_ordering order = decimal_compare(a, cut);
  if (order != 0 || (flags & BID_INEXACT_EXCEPTION) == 0) return order;
  // Equal to the first 34 digits of the double, which has more of them: it lies further from zero.
  return std::signbit(b) ? std::weak_ordering::greater : std::weak_ordering::less;
}

Decimal128 decimal_add(Decimal128 a, Decimal128 b) { return arithmetic<bid128_add>(a, b); }
Decimal128 decimal_subtract(Decimal128 a, Decimal128 b) { return arithmetic<bid128_sub>(a, b); }
Decimal128 decimal_multiply(Decimal128 a, Decimal128 b) { return arithmetic<bid128_mul>(a, b); }
Decimal128 decimal_divide(Decimal128 a, Decimal128 b) { return arithmetic<bid128_div>(a, b); }

Decimal128 decimal_modulo(Decimal128 a, Decimal128 b) {
  _IDEC_flags flags = 0;
  return from_bid(bid128_fmod(to_bid(a), to_bid(b), &flags));
}

}  // namespace partita::bson
