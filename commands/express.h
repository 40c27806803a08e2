// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "wire/bson/view.h"

namespace partita::commands {

/// The value of _id when the filter is {_id: value} and nothing else, with a value that equals only itself: read off the
/// filter's bytes, without parsing it. Then one record key is all there is to look at.
inline std::optional<bson::Value> express_id(bson::View filter) {
  auto field = filter.begin();
  if (field == filter.end() || field->name != "_id") return std::nullopt;
  const bson::Value id = field->value;
  switch (id.type()) {
    case bson::Type::kArray:      // An array is never an _id, but a filter may hold one.
    case bson::Type::kRegex:      // Matches by pattern.
    case bson::Type::kNull:       // Equals missing and undefined too.
    case bson::Type::kUndefined:  // Refused by the matcher.
      return std::nullopt;
    case bson::Type::kDocument: {
      const auto first = id.as_document().begin();
      if (first != id.as_document().end() && first->name.starts_with('$')) return std::nullopt;
      break;
    }
    default:
      break;
  }
  if (++field != filter.end()) return std::nullopt;
  return id;
}

}  // namespace partita::commands
