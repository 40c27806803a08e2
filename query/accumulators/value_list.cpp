// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/accumulators/value_list.h"

#include <algorithm>

#include "wire/bson/writer.h"

namespace partita::query {

using bson::Value;

void ValueList::push(Value value, Arena& arena) {
  if (size_ == capacity_) {
    const std::uint32_t grown = std::max(4u, capacity_ * 2);
    auto* values = reinterpret_cast<Value*>(arena.allocate(grown * sizeof(Value), alignof(Value)));
    std::copy(values_, values_ + size_, values);
    values_ = values;
    capacity_ = grown;
  }
  values_[size_++] = arena.copy(value);
}

Value ValueList::as_array(Arena& arena) const {
  bson::Buffer& bytes = arena.scratch();
  bson::ArrayWriter out(bytes);
  for (std::uint32_t i = 0; i < size_; ++i) out.push(values_[i]);
  out.close();
  return Value::of_array(bson::View::trusted(arena.copy(bytes.bytes()).data()));
}

}  // namespace partita::query
