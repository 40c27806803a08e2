// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/keys/type_bits.h"
#include "wire/bson/view.h"

namespace partita::query {
class Collator;
}

/// BSON values as bytes whose memcmp order is bson::compare's: the on-disk form of record keys and index keys, and the
/// working form of sort keys, group keys and shard keys. The bytes are final: tests/query/keys/golden.txt holds them.
///
///   - Values that compare equal encode equal: int 1, long 1, double 1.0 and decimal 1.00; 0 and -0.0; text and symbol.
///   - No encoding is the beginning of another one. So fields written one after the other compare field by field, and
///     anything at all may follow a key.
///   - Nothing recurses, and nothing allocates but the buffer's growth.
///
/// Array elements are numbered anew by Decoder, and a NaN comes back as the plain one; all else is rebuilt exactly.
namespace partita::query::keys {

enum class Direction : std::uint8_t { kAscending, kDescending };

/// Appends the value's encoding, complemented for a descending field. `types` takes what Decoder needs to tell the
/// types again; nullptr where nobody will ask. A missing value is written as undefined, its class. With a collation a
/// text is written as its sort key, so that memcmp is the order of the collation; decoded again, it is that sort key.
void encode(bson::Value value, Direction direction, bson::Buffer& out, TypeBits* types = nullptr,
            const Collator* collation = nullptr);
inline void encode(bson::Value value, bson::Buffer& out, TypeBits* types = nullptr, const Collator* collation = nullptr) {
  encode(value, Direction::kAscending, out, types, collation);
}

/// The same for the keys of indexes and sorts, where a missing value counts as null.
inline void encode_or_null(bson::Value value, Direction direction, bson::Buffer& out, TypeBits* types = nullptr,
                           const Collator* collation = nullptr) {
  encode(value.missing() ? bson::Value::null() : value, direction, out, types, collation);
}

/// The length of the value that `key` begins with, found without decoding it; 0 when the bytes are none of ours.
std::size_t encoded_size(std::span<const std::uint8_t> key, Direction direction = Direction::kAscending);

}  // namespace partita::query::keys
