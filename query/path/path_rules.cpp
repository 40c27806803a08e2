// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/path/path_rules.h"

#include <algorithm>
#include <array>

namespace partita::query {
namespace {

/// Fields of database references, and those that find and $meta add to documents.
constexpr std::array<std::string_view, 5> kDollarNames{"$id", "$ref", "$db", "$recordId", "$sortKey"};

bool is_allowed(std::string_view name) { return !name.starts_with('$') || std::ranges::find(kDollarNames, name) != kDollarNames.end(); }

}  // namespace

Status check_field_path(std::string_view path) {
  if (path.empty()) return error(Code{40352}, "FieldPath cannot be constructed with empty string");
  if (path.ends_with('.')) return error(Code{40353}, "FieldPath must not end with a '.'.");
  std::size_t parts = 0;
  while (true) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    if (name.empty()) return error(Code{15998}, "FieldPath field names may not be empty strings.");
    if (!is_allowed(name))
      return error(Code{16410}, "FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    if (name.find('\0') != std::string_view::npos)
      return error(Code{16411}, "FieldPath field names may not contain '\\0'.");
    if (++parts > kMaxPathParts) return error(Code::Overflow, "FieldPath is too long");
    if (dot == std::string_view::npos) return {};
    path.remove_prefix(dot + 1);
  }
}

bool lies_in(std::string_view path, std::string_view around) {
  if (!path.starts_with(around)) return false;
  return path.size() == around.size() || path[around.size()] == '.';
}

bool PathsBelowNext::operator()(std::string_view a, std::string_view b) const {
  const auto rank = [](char c) { return c == '.' ? 0 : 1 + static_cast<unsigned char>(c); };
  return std::ranges::lexicographical_compare(a, b, {}, rank, rank);
}

}  // namespace partita::query
