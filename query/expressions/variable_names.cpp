// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/expressions/variable_names.h"

#include <algorithm>

namespace partita::query {
namespace {

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_beyond_ascii(char c) { return static_cast<signed char>(c) < 0; }
bool may_follow(char c) {
  return is_lower(c) || is_upper(c) || is_beyond_ascii(c) || (c >= '0' && c <= '9') || c == '_';
}

Status check(std::string_view name, bool may_be_upper) {
  if (name.empty()) return error(Code::FailedToParse, "empty variable names are not allowed");
  const char first = name[0];
  if (!is_lower(first) && !is_beyond_ascii(first) && !(may_be_upper && is_upper(first)))
    return error(Code::FailedToParse, "'", name, "' starts with an invalid character for a user variable name");
  const auto* wrong = std::find_if_not(name.begin(), name.end(), may_follow);
  if (wrong == name.end()) return {};
  return error(Code::FailedToParse, "'", name, "' contains an invalid character for a variable name: '", *wrong, "'");
}

}  // namespace

Status check_readable_variable(std::string_view name) { return check(name, true); }

Status check_definable_variable(std::string_view name) { return name == "CURRENT" ? Status() : check(name, false); }

}  // namespace partita::query
