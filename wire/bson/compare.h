// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>

#include "wire/bson/view.h"

namespace partita::bson {

/// Another order of texts than that of their bytes. A text is equal to itself.
class TextOrder {
 public:
  virtual std::weak_ordering compare(std::string_view a, std::string_view b) const = 0;

 protected:
  ~TextOrder() = default;
};

/// MongoDB's order over all values: first by TypeClass, then within it. Numbers of all four types compare by exact value
/// (NaN below all numbers and equal to itself, -0.0 equal to 0), strings and symbols by bytes, documents field by field
/// (type class, then name, then value), arrays element by element (names do not count), binary by length, subtype,
/// bytes. With `texts` strings and symbols, nested ones too, are ordered by that. Iterative: depth is bounded by validation, the stack is not used for it. `std::weak_ordering`: equal values
/// may differ in type (1 and 1.0).
std::weak_ordering compare(Value a, Value b, const TextOrder* texts = nullptr);
std::weak_ordering compare(View a, View b, const TextOrder* texts = nullptr);
inline bool equal(Value a, Value b, const TextOrder* texts = nullptr) { return compare(a, b, texts) == 0; }

/// Only the numbers of two numeric values.
std::weak_ordering compare_numbers(Value a, Value b);

}  // namespace partita::bson
