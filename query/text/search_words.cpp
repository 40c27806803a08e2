// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/text/search_words.h"

namespace partita::query::text {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }  // A tab is none.
bool is_sign(char c) { return c == '-' || c == '"'; }

}  // namespace

// A minus counts at the start of a word and negates up to the next blank; a quotation mark without a second one negates and
// wants nothing, but what stands behind it is a word as any other.
SearchWords SearchWords::read(std::string_view search) {
  SearchWords read;
  bool negates = false;
  std::size_t phrase = std::string_view::npos;  // Where an open one begins.
  const auto in_phrase = [&] { return phrase != std::string_view::npos; };
  bool behind_blank = true;
  for (std::size_t at = 0; at < search.size();) {
    if (is_blank(search[at])) {
      behind_blank = true;
      ++at;
      continue;
    }
    if (behind_blank && !in_phrase()) negates = false;
    if (search[at] == '-') {
      if (!in_phrase() && behind_blank) negates = true;
      ++at;
    } else if (search[at] == '"') {
      if (in_phrase()) (negates ? read.negated_phrases : read.phrases).emplace_back(search.substr(phrase, at - phrase));
      phrase = in_phrase() ? std::string_view::npos : at + 1;
      ++at;
    } else {
      const std::size_t begin = at;
      while (at < search.size() && !is_blank(search[at]) && !is_sign(search[at])) ++at;
      if (!(in_phrase() && negates)) {
        std::string& words = negates ? read.negated : read.wanted;
        words.append(search.substr(begin, at - begin)).append(1, ' ');
      }
    }
    behind_blank = false;
  }
  return read;
}

}  // namespace partita::query::text
