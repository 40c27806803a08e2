// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "query/arena.h"
#include "wire/error/status.h"

/// Values as text, and text as characters.
namespace partita::query {

/// What operators on strings make of any value: numbers, dates and timestamps as text, nothing of null.
Result<std::string_view> text_of(bson::Value value, Arena& arena);
/// "2020-01-01T00:00:00.000Z"; fails outside of the years 0 to 9999.
Result<std::string> date_text(bson::Date date);
/// As C++ prints it, with six digits: that is what $toString of a double gives.
std::string double_text(double real);

/// How many bytes the character takes that begins with this byte.
inline std::size_t character_size(char first) {
  const auto byte = static_cast<std::uint8_t>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}
inline bool is_continuation(char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; }
std::size_t count_characters(std::string_view text);
/// Where the character with this number begins; the text's end where it has fewer.
std::size_t offset_of_character(std::string_view text, std::size_t number);

/// Where `wanted` stands first from `from` on, or npos. In time that grows with the text, whatever is wanted in it.
std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from = 0);

/// A whole number that fits 32 bits, of any type of number.
std::optional<std::int32_t> exact_int32(bson::Value value);

}  // namespace partita::query
