// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

/// Where arrays are in the documents of an index: bit n says that path n has been led through one. The upper half of the
/// word tells the part of the path that was the array, with a bit for each part of all paths in their order, as far as the
/// bits go: {"a.b": 1, c: 1} has 32 for a, 33 for a.b and 34 for c. On disk.
namespace partita::query::keys {

constexpr std::size_t kFirstPartBit = 32;

inline std::size_t part_count(std::string_view path) { return static_cast<std::size_t>(std::ranges::count(path, '.')) + 1; }

/// The bit of the part that path n has come to after `parts` of its own; 0 when there is none left for it.
inline std::uint64_t part_bit(std::span<const std::string_view> paths, std::size_t n, std::size_t parts) {
  std::size_t bit = kFirstPartBit + parts - 1;
  for (std::size_t i = 0; i < n && bit < 64; ++i) bit += part_count(paths[i]);
  return bit < 64 ? std::uint64_t{1} << bit : 0;
}

}  // namespace partita::query::keys
