// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/hash.h"

#define XXH_INLINE_ALL  // Most keys are shorter than a call of a library is long.
#include <xxhash.h>

namespace partita::query::keys {

std::uint64_t hash(std::span<const std::uint8_t> encoded) { return XXH3_64bits(encoded.data(), encoded.size()); }

}  // namespace partita::query::keys
