// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/number_sum.h"

#include <cmath>
#include <limits>

#include "wire/bson/decimal.h"
#include "wire/bson/document.h"

namespace partita::query {
namespace {

using bson::Type;
using bson::Value;

int width(Type type) {
  switch (type) {
    case Type::kInt32:
      return 0;
    case Type::kInt64:
      return 1;
    case Type::kDouble:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

void NumberSum::add(Value number) {
  const Type type = number.type();
  if (width(type) > width(widest_)) widest_ = type;
  if (type == Type::kInt32 || type == Type::kInt64) {
    whole_ += number.as_int64();
  } else if (type == Type::kDouble) {
    add_real(number.as_double());
  } else {
    decimal_ = bson::decimal_add(decimal_, number.as_decimal());
  }
}

/// Knuth's two-sum: `lost` is exactly what rounding took from the new sum.
void NumberSum::add_real(double real) {
  plain_ += real;
  const double sum = real_ + real;
  const double added = sum - real_;
  const double lost = (real_ - (sum - added)) + (real - added);
  real_ = sum;
  correction_ += lost;
}

void NumberSum::add(const NumberSum& other) {
  if (width(other.widest_) > width(widest_)) widest_ = other.widest_;
  whole_ += other.whole_;
  const double plain = plain_ + other.plain_;
  add_real(other.real_);
  add_real(other.correction_);
  plain_ = plain;
  decimal_ = bson::decimal_add(decimal_, other.decimal_);
}

double NumberSum::real_total() const {
  if (!std::isfinite(real_) || !std::isfinite(correction_)) return plain_;
  if (whole_ == 0) return real_ + correction_;
  NumberSum all = *this;  // A long may have more digits than a double: it goes in as two halves.
  const auto high = static_cast<double>(whole_);
  all.add_real(high);
  all.add_real(static_cast<double>(whole_ - static_cast<Wide>(high)));
  return all.real_ + all.correction_;
}

bson::Decimal128 NumberSum::decimal_total() const {
  constexpr Wide kTwoTo32 = Wide{1} << 32;
  const Wide high = whole_ / kTwoTo32;
  bson::Decimal128 total = bson::decimal_multiply(bson::decimal_from_int64(static_cast<std::int64_t>(high)),
                                                  bson::decimal_from_int64(static_cast<std::int64_t>(kTwoTo32)));
  total = bson::decimal_add(total, bson::decimal_from_int64(static_cast<std::int64_t>(whole_ - high * kTwoTo32)));
  if (real_ != 0 || correction_ != 0 || plain_ != plain_) {
    const bool finite = std::isfinite(real_) && std::isfinite(correction_);
    total = bson::decimal_add(total, bson::decimal_from_double_exact(finite ? real_ : plain_));
    if (finite) total = bson::decimal_add(total, bson::decimal_from_double_exact(correction_));
  }
  return bson::decimal_add(total, decimal_);
}

Number NumberSum::total() const {
  using Int = std::numeric_limits<std::int32_t>;
  using Long = std::numeric_limits<std::int64_t>;
  switch (widest_) {
    case Type::kDecimal128:
      return Number(decimal_total());
    case Type::kDouble:
      return Number(real_total());
    default:
      break;
  }
  if (whole_ < Long::min() || whole_ > Long::max()) return Number(static_cast<double>(whole_));
  const auto whole = static_cast<std::int64_t>(whole_);
  const bool is_int = widest_ == Type::kInt32 && whole >= Int::min() && whole <= Int::max();
  return is_int ? Number(static_cast<std::int32_t>(whole)) : Number(whole);
}

Number NumberSum::divided_by(std::int64_t count) const {
  if (widest_ == Type::kDecimal128)
    return Number(bson::decimal_divide(decimal_total(), bson::decimal_from_int64(count)));
  return Number(real_total() / static_cast<double>(count));
}

void NumberSum::save(bson::Writer& out) const {
  out.add("high", static_cast<std::int64_t>(whole_ >> 64));
  out.add("low", static_cast<std::int64_t>(whole_));
  out.add("real", real_);
  out.add("correction", correction_);
  out.add("plain", plain_);
  out.add("decimal", decimal_);
  out.add("widest", static_cast<std::int32_t>(widest_));
}

NumberSum NumberSum::load(bson::View saved) {
  NumberSum sum;
  const auto low = static_cast<std::uint64_t>(saved["low"].as_int64());
  sum.whole_ = (static_cast<Wide>(saved["high"].as_int64()) << 64) | static_cast<Wide>(low);
  sum.real_ = saved["real"].as_double();
  sum.correction_ = saved["correction"].as_double();
  sum.plain_ = saved["plain"].as_double();
  sum.decimal_ = saved["decimal"].as_decimal();
  sum.widest_ = static_cast<Type>(saved["widest"].as_int32());
  return sum;
}

}  // namespace partita::query
