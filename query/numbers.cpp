// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/numbers.h"

#include <functional>
#include <limits>

#include "wire/bson/decimal.h"

namespace partita::query {

using bson::Type;
using bson::Value;

Number Number::of(Value value) {
  switch (value.type()) {
    case Type::kInt32:
      return Number(value.as_int32());
    case Type::kInt64:
      return Number(value.as_int64());
    case Type::kDouble:
      return Number(value.as_double());
    default:
      return Number(value.as_decimal());
  }
}

double Number::to_double() const {
  if (is_integer()) return static_cast<double>(whole_);
  return type_ == Type::kDouble ? real_ : bson::decimal_to_double(decimal_);
}

bson::Decimal128 Number::to_decimal() const {
  if (is_integer()) return bson::decimal_from_int64(whole_);
  return type_ == Type::kDouble ? bson::decimal_from_double(real_) : decimal_;
}

Value Number::value() const {
  switch (type_) {
    case Type::kInt32:
      return Value::of(static_cast<std::int32_t>(whole_));
    case Type::kInt64:
      return Value::of(whole_);
    case Type::kDouble:
      return Value::of(real_);
    default:
      return Value::of_payload(Type::kDecimal128, reinterpret_cast<const std::uint8_t*>(&decimal_), sizeof decimal_);
  }
}

namespace {

std::optional<Number> fit(std::int64_t whole, bool both_ints) {
  using Int = std::numeric_limits<std::int32_t>;
  if (both_ints && whole >= Int::min() && whole <= Int::max()) return Number(static_cast<std::int32_t>(whole));
  return Number(whole);
}

template <class Whole, class Real, class Decimal>
std::optional<Number> combine(const Number& a, const Number& b, Whole whole, Real real, Decimal decimal) {
  if (a.is_integer() && b.is_integer()) {
    std::int64_t result;
    if (whole(a.whole(), b.whole(), &result)) return std::nullopt;
    return fit(result, a.type() == Type::kInt32 && b.type() == Type::kInt32);
  }
  if (a.type() == Type::kDecimal128 || b.type() == Type::kDecimal128)
    return Number(decimal(a.to_decimal(), b.to_decimal()));
  return Number(real(a.to_double(), b.to_double()));
}

}  // namespace

std::optional<Number> add(const Number& a, const Number& b) {
  auto whole = [](std::int64_t x, std::int64_t y, std::int64_t* sum) { return __builtin_add_overflow(x, y, sum); };
  return combine(a, b, whole, std::plus<double>(), bson::decimal_add);
}

std::optional<Number> subtract(const Number& a, const Number& b) {
  auto whole = [](std::int64_t x, std::int64_t y, std::int64_t* rest) { return __builtin_sub_overflow(x, y, rest); };
  return combine(a, b, whole, std::minus<double>(), bson::decimal_subtract);
}

std::optional<Number> multiply(const Number& a, const Number& b) {
  auto whole = [](std::int64_t x, std::int64_t y, std::int64_t* result) { return __builtin_mul_overflow(x, y, result); };
  return combine(a, b, whole, std::multiplies<double>(), bson::decimal_multiply);
}

}  // namespace partita::query
