// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "wire/bson/document.h"

namespace partita::bson {

/// How a value is printed: kRelaxed as in MongoDB's logs (numbers plain), kCanonical keeps every type apart.
enum class JsonStyle : std::uint8_t { kRelaxed, kCanonical };

/// Extended JSON v2. Control characters are escaped, so that one document is always one line.
std::string to_json(View document, JsonStyle style = JsonStyle::kRelaxed);
std::string to_json(Value value, JsonStyle style = JsonStyle::kRelaxed);
void append_json(std::string& out, Value value, JsonStyle style);
/// A quoted and escaped JSON string.
void append_json_string(std::string& out, std::string_view text);

/// As the shell shows it, which is how MongoDB's error messages quote values: { a: 1.0, b: "x" }.
std::string to_shell(Value value);
std::string to_shell(View document);

/// Reads extended JSON and the relaxed form that tests and people write: unquoted keys, single quotes, trailing commas,
/// and the shell's constructors (ObjectId("..."), NumberLong(5), ISODate("..."), /re/i ...). Depth-bounded, iterative.
Result<Document> parse_json(std::string_view text);

}  // namespace partita::bson
