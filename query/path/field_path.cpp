// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/path/field_path.h"

#include "query/path/last_dot.h"

namespace partita::query {

FieldPath::FieldPath(std::string_view dotted) : text_(dotted.begin(), dotted.end()) {
  std::string_view rest = text();
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string_view name = rest.substr(0, dot);
    parts_.push_back({name, parse_index(name, true)});
    if (dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

std::string_view FieldPath::prefix(std::size_t parts) const {
  if (parts == 0) return {};
  const PathPart& last = parts_[parts - 1];
  return {text_.data(), static_cast<std::size_t>(last.name.data() + last.name.size() - text_.data())};
}

std::string_view FieldPath::rest(std::size_t parts) const {
  if (parts >= parts_.size()) return {};
  return text().substr(static_cast<std::size_t>(parts_[parts].name.data() - text_.data()));
}

bson::Value descend(bson::View document, const FieldPath& path, std::size_t& part) {
  while (true) {
    const bson::Value value = document[path[part].name];
    ++part;
    if (part == path.size()) return value;
    if (value.is_array()) return end_at_array(path, part), value;
    if (!value.is_document()) return {};
    document = value.as_document();
  }
}

std::uint32_t parse_index(std::string_view name, bool strict) {
  constexpr std::size_t kMaxDigits = 9;  // More would not fit, and no array is that long.
  if (name.empty() || name.size() > kMaxDigits) return PathPart::kNoIndex;
  if (strict && name[0] == '0' && name.size() > 1) return PathPart::kNoIndex;
  std::uint32_t index = 0;
  for (const char digit : name) {
    if (digit < '0' || digit > '9') return PathPart::kNoIndex;
    index = index * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return index;
}

}  // namespace partita::query
