// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "query/arena.h"
#include "wire/error/status.h"

/// What expressions make: laid out in the arena as on the wire, and bounded, for an expression of a few bytes may ask for
/// more than there is memory.
namespace partita::query {

/// Longer than a document may be, since what is made may be cut down again: MongoDB's buffers end there too.
constexpr std::size_t kLongestComputed = 64 << 20;

Status too_long_text(std::size_t size);
Status too_large_object(std::size_t size);
Status too_much_memory(std::string_view who, std::size_t bytes, std::size_t most);

/// A string of `size` bytes that are yet to be written, at `text`; fails where that is too long.
struct UnwrittenString {
  char* text;
  bson::Value value;
};
Result<UnwrittenString> unwritten_string(std::size_t size, Arena& arena);
Result<bson::Value> make_string(std::string_view text, Arena& arena);

/// A missing element is null: an array has no holes.
Result<bson::Value> make_array(std::span<const bson::Value> elements, Arena& arena);
/// Missing values are left out.
Result<bson::Value> make_object(std::span<const std::string_view> names, std::span<const bson::Value> values, Arena& arena);
Result<bson::Value> make_object(std::span<const bson::Field> fields, Arena& arena);

/// The elements of an array, for those who want them in another order or more than once.
std::span<bson::Value> elements_of(bson::Value array, Arena& arena);
std::span<bson::Field> fields_of(bson::View document, Arena& arena);

}  // namespace partita::query
