// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/filter_depth.h"

#include <vector>

namespace partita::shards {
namespace {

struct Level {
  bson::View clauses;
  int depth;
};

bool are_several(bson::View clauses) {
  std::size_t count = 0;
  for (const auto& [name, value] : clauses) {
    const bool operators = value.is_document() && !value.as_document().empty() && value.as_document().begin()->name.starts_with('$');
    count += operators ? value.as_document().count() : 1;
  }
  return count > 1;
}

}  // namespace

Status check_filter_depth(bson::View filter) {
  constexpr int kMost = 3;
  std::vector<Level> left{{filter, 0}};
  while (!left.empty()) {
    const Level level = left.back();
    left.pop_back();
    const int depth = level.depth + (are_several(level.clauses) ? 1 : 0);
    if (depth > kMost) return error(Code::CannotCreateIndex, "partialFilterExpression depth may not exceed 4");
    for (const auto& [name, value] : level.clauses) {
      if ((name != "$and" && name != "$or") || !value.is_array()) continue;
      for (const bson::Field& clause : value.as_document()) {
        if (clause.value.is_document()) left.push_back({clause.value.as_document(), depth + 1});
      }
    }
  }
  return {};
}

}  // namespace partita::shards
