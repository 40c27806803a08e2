// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/error/status.h"

namespace partita::query {

/// Longest chain of names in a path that projections and expressions take.
constexpr std::size_t kMaxPathParts = 200;

/// What projections, expressions and stages demand of a dotted path: no empty names, none that holds a null byte (many of
/// them come as values, which may), and none that begins with '$' but for those of database references and metadata.
Status check_field_path(std::string_view path);

/// Whether `path` is `around` or lies below it.
bool lies_in(std::string_view path, std::string_view around);

/// An order of paths in which those below one follow it at once.
struct PathsBelowNext {
  bool operator()(std::string_view a, std::string_view b) const;
};

}  // namespace partita::query
