// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"
#include "shards/router/partition_scan.h"

namespace partita::commands {

/// What to walk over for a query. query/plan decides; this puts its decision into a collection's terms.
struct Plan {
  shards::ScanOrder order;
  bool sorted = false;  ///< The walk is in the order of the sort (which may be none).
  bool needs_filter = true;
  std::string text;     ///< One line of it, for logs.
};

/// BadValue when the hint names no index.
Result<Plan> choose_plan(const shards::Collection& collection, const query::FilterTree& filter,
                         const query::SortSpec& sort, bson::Value hint = {});

}  // namespace partita::commands
