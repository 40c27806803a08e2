// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"

namespace partita::query {

/// A list of values that grows in an arena, with their bytes; it becomes an array when asked.
class ValueList {
 public:
  void push(bson::Value value, Arena& arena);
  std::uint32_t size() const { return size_; }
  bson::Value operator[](std::uint32_t i) const { return values_[i]; }
  bson::Value as_array(Arena& arena) const;

 private:
  bson::Value* values_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = 0;
};

}  // namespace partita::query
