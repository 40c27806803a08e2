// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/projection/projection.h"

namespace partita::query {

/// The tree of a projection and what happens to fields it does not name.
struct ProjectionTree {
  std::vector<ProjectionNode> nodes;  ///< The first is the root.
  bool keeps_unlisted = true;
};

/// Names in the tree point into `spec`.
Result<ProjectionTree> parse_projection(bson::View spec);

}  // namespace partita::query
