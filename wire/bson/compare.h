// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "wire/bson/view.h"

namespace partita::bson {

/// MongoDB's order over all values: first by TypeClass, then within it. Numbers of all four types compare by exact value
/// (NaN below all numbers and equal to itself, -0.0 equal to 0), strings and symbols by bytes, documents field by field
/// (type class, then name, then value), arrays element by element (names do not count), binary by length, subtype,
/// bytes. Iterative: depth is bounded by validation, the stack is not used for it. `std::weak_ordering`: equal values
/// may differ in type (1 and 1.0).
std::weak_ordering compare(Value a, Value b);
std::weak_ordering compare(View a, View b);
inline bool equal(Value a, Value b) { return compare(a, b) == 0; }

/// Only the numbers of two numeric values.
std::weak_ordering compare_numbers(Value a, Value b);

}  // namespace partita::bson
