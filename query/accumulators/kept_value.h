// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/arena.h"

namespace partita::query {

/// One value that is replaced from time to time, copied into an arena. Its room is used again, and doubled when it is too
/// small, so that a thousand ever longer texts do not fill the arena.
class KeptValue {
 public:
  bson::Value get() const { return value_; }

  void set(bson::Value value, Arena& arena) {
    std::array<std::uint8_t, 8> scratch;
    const std::uint8_t* payload = value.payload(scratch);
    const std::uint32_t size = value.payload_size();
    if (payload == scratch.data() || size == 0) {
      value_ = value;
      return;
    }
    if (size > capacity_) {
      capacity_ = std::max(size, capacity_ * 2);
      bytes_ = arena.allocate(capacity_);
    }
    std::memmove(bytes_, payload, size);  // The value may be a part of the one it replaces.
    value_ = bson::Value::of_payload(value.type(), bytes_, size);
  }

 private:
  bson::Value value_;
  std::uint8_t* bytes_ = nullptr;
  std::uint32_t capacity_ = 0;
};

}  // namespace partita::query
