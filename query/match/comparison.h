// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "query/match/operator.h"

namespace partita::query {

class Collator;

/// Which outcomes of a comparison satisfy an operator: $lte is kLess | kEqual.
enum Relation : std::uint8_t { kLess = 1, kEqual = 2, kGreater = 4 };

inline bool satisfies(std::weak_ordering order, std::uint8_t relation) {
  return (relation & (order < 0 ? kLess : order > 0 ? kGreater : kEqual)) != 0;
}

/// Does `value` stand in `relation` to `operand`, as filters compare: only within one type class, null with missing, NaN
/// with nothing but itself, everything with MinKey and MaxKey.
bool compares(bson::Value value, std::uint8_t relation, bson::Value operand, const Collator* collation = nullptr);

/// The fastest predicate for this relation and this operand. The collation must outlive it.
std::unique_ptr<const Predicate> make_comparison(std::uint8_t relation, bson::Value operand, const Collator* collation = nullptr);

}  // namespace partita::query
