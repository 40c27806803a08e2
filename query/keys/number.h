// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/keys/key_reader.h"
#include "query/keys/type_bits.h"
#include "wire/bson/value.h"

/// Numbers as bytes: the part of the key encoding with a design of its own, which number.cpp tells.
namespace partita::query::keys {

/// How much room put_number() wants to have; less than that is used.
constexpr std::size_t kMaxNumberSize = 48;

/// Writes the encoding of a number, lead byte included, and returns the end.
std::uint8_t* put_number(std::uint8_t* to, bson::Value number, TypeBits* types);

/// Reads one, whose lead byte comes next, and returns it with the type that `types` tells. Marks the reader failed when
/// the bytes are none of ours. A decimal's payload is laid out in `scratch`.
bson::Value take_number(KeyReader& key, TypeBitsReader& types, std::array<std::uint8_t, 16>& scratch);

void skip_number(KeyReader& key);

}  // namespace partita::query::keys
