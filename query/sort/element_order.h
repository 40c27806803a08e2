// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "wire/bson/view.h"
#include "wire/error/status.h"

namespace partita::query {

class Collator;

/// How $push and $sortArray sort an array: 1 or -1 for whole elements, {a: 1, "b.c": -1} for documents by their fields. Unlike
/// other sorts it takes arrays as they are, not by their least element. Names point into the operand.
class ElementOrder {
 public:
  /// The collation, which may be null, must outlive it. What is wrong is a BadValue.
  static Result<ElementOrder> parse(bson::Value operand, const Collator* collation);
  /// Elements that are equal stay in their order.
  Status sort(std::span<bson::Value> elements) const;

 private:
  struct Key {
    std::string_view path;
    bool descending;
  };
  bool before(const bson::Value* a, const bson::Value* b) const;

  std::vector<Key> keys_;
  bool whole_ = false;  ///< By the elements themselves.
  const Collator* collation_ = nullptr;
};

}  // namespace partita::query
