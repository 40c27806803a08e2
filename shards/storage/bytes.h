// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace partita::shards {

/// Somebody else's bytes: a key, a row, a record.
using Bytes = std::span<const std::uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The first eight bytes as a number of the same order; what is shorter goes on with zeros.
inline std::uint64_t head_of(std::string_view key) {
  std::uint64_t head = 0;
  std::memcpy(&head, key.data(), std::min(key.size(), sizeof head));
  return __builtin_bswap64(head);
}

}  // namespace partita::shards
