// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>

#include "query/keys/encode.h"
#include "query/keys/number_layout.h"

/// How a key will begin, read off the value: for those who can tell by it that they do not want the key, and are spared
/// writing it.
namespace partita::query::keys {

/// The first bytes of an encoding, from the highest of `bits` on; zeros behind the `known` ones.
struct Beginning {
  std::uint64_t bits = 0;
  int known = 0;

  static Beginning of(std::uint8_t lead, std::uint64_t body, int body_size) {
    return {std::uint64_t{lead} << 56 | body >> 8, body_size < 7 ? 1 + body_size : 8};
  }
  Beginning complemented() const {
    const std::uint64_t unknown = known == 8 ? 0 : ~std::uint64_t{0} >> 8 * known;
    return {~(bits | unknown), known};
  }
};

/// As put_whole() and finish() in number.cpp write it.
inline Beginning beginning_of_whole(std::uint64_t magnitude, bool has_fraction, bool negative) {
  constexpr std::uint64_t kBehindLead = ~std::uint64_t{0} >> 8;
  const int size_class = whole_class(std::bit_width(magnitude));
  const int size = kWholeSizes[size_class];
  const auto lead = static_cast<std::uint8_t>(kFirstWhole + size_class);
  Beginning number = Beginning::of(lead, (magnitude << 1 | std::uint64_t{has_fraction}) << (64 - 8 * size), size);
  if (!negative) return number;
  number = number.complemented();
  number.bits = (std::uint64_t{kMirror} - lead) << 56 | (number.bits & kBehindLead);
  return number;
}

inline Beginning beginning_of_text(std::uint8_t lead, std::string_view text) {
  Beginning beginning = Beginning::of(lead, 0, 0);
  for (const char c : text.substr(0, 7)) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte <= 1) break;  // Written as two.
    beginning.bits |= std::uint64_t{byte} << (56 - 8 * beginning.known++);
  }
  return beginning;
}

/// For the numbers, times and texts that most sorts go by, and for the null that a missing value counts as there; of
/// anything else nothing is known.
inline Beginning beginning_of(bson::Value value) {
  using bson::Type;
  using bson::TypeClass;
  switch (value.type()) {
    case Type::kInt32:
    case Type::kInt64: {
      const std::int64_t number = value.is(Type::kInt32) ? value.as_int32() : value.as_int64();
      if (number == 0 || number == INT64_MIN) return {};
      return beginning_of_whole(static_cast<std::uint64_t>(number < 0 ? -number : number), false, number < 0);
    }
    case Type::kDouble: {
      const double magnitude = std::fabs(value.as_double());
      if (!(magnitude >= 1 && magnitude < kTwoTo63)) return {};
      const auto whole = static_cast<std::uint64_t>(magnitude);
      return beginning_of_whole(whole, static_cast<double>(whole) != magnitude, std::signbit(value.as_double()));
    }
    case Type::kDate: {
      constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
      const auto ms = static_cast<std::uint64_t>(value.as_date().ms_since_epoch);
      return Beginning::of(static_cast<std::uint8_t>(TypeClass::kDate), ms ^ kSignBit, 8);
    }
    case Type::kNull:
    case Type::kEnd:
      return Beginning::of(static_cast<std::uint8_t>(TypeClass::kNull), 0, 0);
    case Type::kString:
      return beginning_of_text(static_cast<std::uint8_t>(TypeClass::kString), value.as_string());
    default:
      return {};
  }
}

/// No key that begins with this value's encoding has a key_prefix() below this number. 0, which says nothing, where
/// finding out would take as long as encoding.
inline std::uint64_t prefix_floor(bson::Value value, Direction direction) {
  const Beginning beginning = beginning_of(value);
  return direction == Direction::kAscending ? beginning.bits : beginning.complemented().bits;
}

}  // namespace partita::query::keys
