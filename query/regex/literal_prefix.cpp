// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/regex/literal_prefix.h"

#include <cctype>

namespace partita::query {
namespace {

bool is_alphanumeric(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Takes the anchor away; false when there is none that holds at the beginning of the text alone.
bool take_anchor(std::string_view& pattern, bool lines) {
  if (pattern.starts_with("\\A")) {
    pattern.remove_prefix(2);
    return true;
  }
  if (!pattern.starts_with('^') || lines) return false;
  pattern.remove_prefix(1);
  return true;
}

/// A quantifier that allows none makes the character before it optional, all of its bytes.
void drop_character(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

/// \Q...\E quotes all between.
std::string_view quoted(std::string_view& rest) {
  const std::size_t end = rest.find("\\E");
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 2);
  return text;
}

/// What stands behind a backslash; false when it is more than a character that means itself.
bool escaped(std::string_view& rest, std::string& prefix) {
  if (rest.empty()) return false;
  const char c = rest.front();
  if (is_alphanumeric(c) && c != 'Q' && c != 'E') return false;
  rest.remove_prefix(1);
  if (c == 'Q') {
    prefix += quoted(rest);
  } else if (c != 'E') {  // Without a \Q it means nothing.
    prefix += c;
  }
  return true;
}

}  // namespace

std::string literal_prefix(std::string_view pattern, std::string_view options) {
  const bool extended = options.find('x') != std::string_view::npos;
  const bool lines = options.find('m') != std::string_view::npos;
  const bool ignores_case = options.find('i') != std::string_view::npos;
  if (ignores_case || !take_anchor(pattern, lines) || pattern.find('|') != std::string_view::npos) return {};
  std::string prefix;
  while (!pattern.empty()) {
    const char c = pattern.front();
    pattern.remove_prefix(1);
    // Behind a comment may stand a quantifier too.
    const bool comment = (c == '(' && pattern.starts_with("?#")) || (extended && c == '#');
    if (c == '*' || c == '?' || c == '{' || comment) {
      drop_character(prefix);
      break;
    }
    if (c == '\\') {
      if (!escaped(pattern, prefix)) break;
    } else if (std::string_view("^$.[()+").find(c) != std::string_view::npos) {
      break;
    } else if (!extended || !is_blank(c)) {
      prefix += c;
    }
  }
  return prefix;
}

}  // namespace partita::query
