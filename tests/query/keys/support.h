// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/keys/encode.h"
#include "tests/support/random_bson.h"

namespace partita::test {

using query::keys::Direction;

inline std::string encoded(bson::Value value, Direction direction = Direction::kAscending) {
  bson::Buffer key;
  query::keys::encode(value, direction, key);
  return std::string(key.text());
}

/// The key's bytes as a golden file and a failure message show them.
inline std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string text;
  for (const char c : bytes) {
    text += kDigits[static_cast<std::uint8_t>(c) >> 4];
    text += kDigits[static_cast<std::uint8_t>(c) & 15];
  }
  return text;
}

inline std::string hex(bson::View document) {
  return hex(std::string_view(reinterpret_cast<const char*>(document.data()), document.size()));
}

/// A value of any kind: numbers, which are the hard part, as often as all the rest.
inline bson::OwnedValue random_value(RandomBson& random) {
  return random.random().one_in(2) ? random.number() : random.value();
}

/// The value's own BSON, for a failure message.
inline std::string show(bson::Value value) {
  const bson::Document holder = bson::Document::build([&](bson::Writer& w) { w.add("v", value); });
  return std::string(value.type_name()) + " " + hex(holder.view());
}

}  // namespace partita::test
