// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/path/field_path.h"

namespace partita::query {

/// A dot at the end names nothing within an array: "a." means the array itself, as in MongoDB. Asked where an array has been
/// met with `part` names used up; that path is used up then.
inline void end_at_array(const FieldPath& path, std::size_t& part) {
  if (part + 1 == path.size() && path[part].name.empty()) part = path.size();
}

}  // namespace partita::query
