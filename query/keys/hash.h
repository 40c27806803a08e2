// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace partita::query::keys {

/// A shard key's place in the space of 64-bit hashes: XXH3 over its encoded values, so that numbers that compare equal
/// hash alike whatever their type. On disk, and in shard maps: it never changes.
std::uint64_t hash(std::span<const std::uint8_t> encoded);

}  // namespace partita::query::keys
