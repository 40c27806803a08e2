// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "wire/bson/value.h"
#include "wire/bson/view.h"

namespace partita::query {

/// A number with its BSON type, decimals included by value: what arithmetic takes and yields.
class Number {
 public:
  explicit Number(std::int32_t whole) : type_(bson::Type::kInt32), whole_(whole) {}
  explicit Number(std::int64_t whole) : type_(bson::Type::kInt64), whole_(whole) {}
  explicit Number(double real) : type_(bson::Type::kDouble), real_(real) {}
  explicit Number(bson::Decimal128 decimal) : type_(bson::Type::kDecimal128), decimal_(decimal) {}
  /// `value` must be a number.
  static Number of(bson::Value value);

  bson::Type type() const { return type_; }
  bool is_integer() const { return type_ == bson::Type::kInt32 || type_ == bson::Type::kInt64; }
  std::int64_t whole() const { return whole_; }
  double to_double() const;
  bson::Decimal128 to_decimal() const;
  /// A decimal's Value points into this Number.
  bson::Value value() const;

 private:
  bson::Type type_;
  union {
    std::int64_t whole_;
    double real_;
    bson::Decimal128 decimal_;
  };
};

/// The operands meet in the wider of their types, int before long before double before decimal; a result that does not
/// fit an int becomes a long. nullopt when it does not fit a long either: $inc refuses that, expressions go to double.
std::optional<Number> add(const Number& a, const Number& b);
std::optional<Number> subtract(const Number& a, const Number& b);
std::optional<Number> multiply(const Number& a, const Number& b);

}  // namespace partita::query
