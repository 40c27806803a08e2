// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/view.h"

/// The rare types that consist of several things, taken apart.
namespace partita::bson {

/// The code of a code with scope, and its scope.
struct ScopedCode {
  explicit ScopedCode(Value value) : ScopedCode(payload_of(value)) {}
  explicit ScopedCode(const std::uint8_t* payload)
      : code(reinterpret_cast<const char*>(payload) + 8, load<std::uint32_t>(payload + 4) - 1),
        scope(View::trusted(payload + 8 + code.size() + 1)) {}
  std::string_view code;
  View scope;

 private:
  static const std::uint8_t* payload_of(const Value& value) {
    std::array<std::uint8_t, 8> unused;
    return value.payload(unused);
  }
};

/// The name in a DBPointer and the id behind it.
struct DBPointer {
  explicit DBPointer(Value value) {
    std::array<std::uint8_t, 8> unused;
    const std::uint8_t* payload = value.payload(unused);
    const auto size = load<std::uint32_t>(payload);
    name = {reinterpret_cast<const char*>(payload) + 4, size - 1};
    id = load<ObjectId>(payload + 4 + size);
  }
  std::string_view name;
  ObjectId id;
};

}  // namespace partita::bson
