// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

class Collator;

/// How $push sorts the array: 1 or -1 for whole elements, {a: 1, "b.c": -1} for documents by their fields. Unlike other
/// sorts it takes arrays as they are, not by their least element. Names point into the operand.
class PushOrder {
 public:
  /// The collation, which may be null, must outlive it.
  static Result<PushOrder> parse(bson::Value operand, const Collator* collation);
  /// Elements that are equal stay in their order.
  Status sort(std::vector<bson::Value>& elements) const;

 private:
  struct Key {
    std::string_view path;  ///< Empty: the whole element.
    bool descending;
  };
  bool less(bson::Value a, bson::Value b) const;

  std::vector<Key> keys_;
  const Collator* collation_ = nullptr;
};

}  // namespace partita::query
