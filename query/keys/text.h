// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "query/keys/key_reader.h"
#include "wire/bson/buffer.h"

/// Runs of bytes inside a key: text of any content, text without zeros, and bytes behind their length.
namespace partita::query::keys {

/// Text that may hold any byte: 0x00 is written 01 01 and 0x01 is written 01 02, so that a plain 0x00 can end it. (The
/// customary 00 FF for a zero would make "a" the beginning of "a\0".)
void put_text(std::string_view text, bson::Buffer& out);
/// The same for a text that lies in `out` already, plain, from `begin` on.
void end_text(std::size_t begin, bson::Buffer& out);
/// Appends the text to `out`.
void take_text(KeyReader& key, bson::Buffer& out);

/// Text that cannot hold a zero (names, regular expressions), with the zero behind it.
inline void put_name(std::string_view name, bson::Buffer& out) { out.append(name.data(), name.size() + 1); }
void take_name(KeyReader& key, bson::Buffer& out);

/// Both kinds end with the first zero.
void skip_text(KeyReader& key);

/// A length that orders as its number: one byte below 255, else 0xFF and four bytes.
void put_length(std::uint32_t length, bson::Buffer& out);
std::uint32_t take_length(KeyReader& key);

/// Appends `count` bytes as they were before complementing.
void take_bytes(KeyReader& key, std::size_t count, bson::Buffer& out);

/// A word, most significant byte first.
void put_big_endian(std::uint64_t bits, bson::Buffer& out);

}  // namespace partita::query::keys
