// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

namespace partita::query {

/// The first eight bytes of a key as a number of the same order, zeros behind a shorter key: two keys whose prefixes
/// differ compare as their prefixes do, without a look at the keys themselves.
inline std::uint64_t key_prefix(std::span<const std::uint8_t> key) {
  std::uint64_t bits = 0;
  if (key.size() >= sizeof bits) [[likely]] {
    std::memcpy(&bits, key.data(), sizeof bits);  // Of a size known to the compiler: one load.
  } else {
    std::memcpy(&bits, key.data(), key.size());
  }
  return __builtin_bswap64(bits);
}

/// Below, at or above zero, as memcmp; of two keys one of which begins the other, the shorter comes first.
inline int compare_keys(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  const std::size_t common = a.size() < b.size() ? a.size() : b.size();
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  if (order != 0) return order;
  return a.size() == b.size() ? 0 : a.size() < b.size() ? -1 : 1;
}

}  // namespace partita::query
