// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/update_path.h"

#include <algorithm>

namespace partita::query {
namespace {

bool is_positional(const PathPart& part) { return part.name == kMatchedElement; }

Status check_names(const FieldPath& path) {
  for (const PathPart& part : path)
    if (part.name.empty())
      return error(Code::EmptyFieldName, "The update path '", path.text(),
                   "' contains an empty field name, which is not allowed.");
  return {};
}

}  // namespace

std::optional<std::string_view> chosen_elements(std::string_view name) {
  if (name.size() < 3 || !name.starts_with("$[") || !name.ends_with(']')) return std::nullopt;
  return name.substr(2, name.size() - 3);
}

bool is_dynamic(const FieldPath& path) {
  return std::any_of(path.begin(), path.end(),
                     [](const PathPart& part) { return is_positional(part) || chosen_elements(part.name); });
}

Status check_update_path(const FieldPath& path) {
  if (path.text().empty()) return error(Code::EmptyFieldName, "An empty update path is not valid.");
  if (path.size() > kMaxUpdatePathParts) return error(Code::Overflow, "An update path has at most ", kMaxUpdatePathParts, " names");
  CHECK_OK(check_names(path));
  if (std::count_if(path.begin(), path.end(), is_positional) > 1)
    return error(Code::BadValue, "Too many positional (i.e. '$') elements found in path '", path.text(), "'");
  if (is_positional(path[0]))
    return error(Code::BadValue, "Cannot have positional (i.e. '$') element in the first position in path '", path.text(), "'");
  if (chosen_elements(path[0].name))
    return error(Code::BadValue, "Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '",
                 path.text(), "'");
  return {};
}

}  // namespace partita::query
