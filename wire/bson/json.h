// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "wire/bson/document.h"

namespace partita::bson {

/// How a value is printed: kRelaxed as in MongoDB's logs (numbers plain, dates as text), kCanonical keeps every type apart.
enum class JsonStyle : std::uint8_t { kRelaxed, kCanonical };

/// Extended JSON v2 without spaces. Control characters are escaped, so that one document is always one line.
/// Doubles have the fewest digits that read back as the same number, and always a point or an exponent.
std::string to_json(View document, JsonStyle style = JsonStyle::kRelaxed);
std::string to_json(Value value, JsonStyle style = JsonStyle::kRelaxed);
void append_json(std::string& out, Value value, JsonStyle style);
/// A quoted and escaped JSON string. Text that is not UTF-8 loses its other characters to U+FFFD, for it may come from
/// anywhere and must not break a log line.
void append_json_string(std::string& out, std::string_view text);

/// As the shell shows it, which is how MongoDB's error messages quote values: { a: 1.0, b: "x" }. It is made for reading
/// and not for reading back: nothing is escaped, long texts and deep documents are cut short with "...".
std::string to_shell(Value value);
std::string to_shell(View document);
std::string to_shell(const Field& field);  ///< a: 1.0

/// Reads extended JSON and the relaxed form that tests and people write: unquoted keys, single quotes, trailing commas,
/// and the shell's constructors (ObjectId("..."), NumberLong(5), ISODate("..."), /re/i ...). A whole number without point
/// or exponent is an int if it fits, a long if that fits. An array at the top gives fields "0", "1", ... The document read
/// passes validate(). Depth-bounded, iterative. Fails with FailedToParse and the offset.
Result<Document> parse_json(std::string_view text);

}  // namespace partita::bson
