// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/value.h"
#include "wire/error/status.h"

namespace partita::query {

/// Types by name or number, as $type and schemas list them. "number" is all four of them.
class TypeSet {
 public:
  /// One type or an array of them; `path` stands in the error about an array of none.
  static Result<TypeSet> parse(bson::Value operand, std::string_view path);
  /// One type by its name.
  Status add(std::string_view name);

  bool has(bson::Type type) const { return (bits_ >> bit(type) & 1) != 0; }
  void insert(bson::Type type) { bits_ |= std::uint32_t{1} << bit(type); }
  void insert_numbers();

 private:
  Status add(bson::Value type);
  /// MinKey and MaxKey stand far from the others.
  static unsigned bit(bson::Type type) {
    if (type == bson::Type::kMinKey) return 30;
    return type == bson::Type::kMaxKey ? 31 : static_cast<unsigned>(type);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace partita::query
