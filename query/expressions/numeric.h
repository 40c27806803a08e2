// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/expressions/expression.h"
#include "query/numbers.h"
#include "wire/bson/decimal_math.h"

/// What operators over one number share: null for null, a refusal of what is no number, decimals apart from the rest.
namespace partita::query {

inline Status not_numeric(std::string_view name, bson::Value value) {
  return error(Code{28765}, name, " only supports numeric types, not ", value.type_name());
}

/// A function that has a double for a result, or a decimal where its argument is one.
template <class Real, class Decimal>
Result<bson::Value> real_function(std::string_view name, bson::Value value, Arena& arena, Real real, Decimal decimal) {
  if (value.is_nullish()) return bson::Value::null();
  if (!value.is_number()) return not_numeric(name, value);
  if (value.is(bson::Type::kDecimal128)) return arena.decimal(decimal(value.as_decimal()));
  return bson::Value::of(static_cast<double>(real(*value.to_double())));
}

/// A number cut off to a whole one, as mongod does it on the way: a decimal is rounded, and what does not fit is the least long.
Result<std::int64_t> coerce_long(bson::Value number);

inline bool any_decimal(Args args) {
  for (const bson::Value& value : args)
    if (value.is(bson::Type::kDecimal128)) return true;
  return false;
}

inline bool any_nullish(Args args) {
  for (const bson::Value& value : args)
    if (value.is_nullish()) return true;
  return false;
}

}  // namespace partita::query
