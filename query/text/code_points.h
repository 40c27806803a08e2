// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Characters as text search sees them: what parts words, and what counts as the same letter. The tables are ICU's, asked by
/// the rules of mongod's third version of text indexes.
namespace partita::query::text {

/// Letters of Turkish have a case of their own: I is the capital of a dotless i.
enum class Case : std::uint8_t { kCommon, kTurkish };

/// White space, punctuation, dashes, quotation marks, signs of syntax: what stands between words.
bool is_delimiter(char32_t c);

/// The character at `at`, which moves behind it; nullopt where the bytes are no UTF-8.
std::optional<char32_t> take(std::string_view text, std::size_t& at);

/// Appends the text in small letters.
void append_folded(std::string_view text, Case letters, std::string& out);
/// Appends the text without accents and the like; what is nothing else is left out.
void append_plain(std::string_view text, std::string& out);

}  // namespace partita::query::text
