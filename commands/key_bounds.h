// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/plan.h"

namespace partita::commands {

/// `min` and `max` of a find: the keys of an index, from the one on and up to but without the other, whatever the filter.
struct KeyBounds {
  bson::View min;  ///< Empty: from the first key on.
  bson::View max;  ///< Empty: up to the last one.

  bool given() const { return !min.empty() || !max.empty(); }
  /// Location51176 where both name different fields.
  Status check() const;
};

/// The choice that lies between. The hint has to name the index, and the bounds its fields, all of them in their order:
/// else it fails with MongoDB's codes.
Result<PlanChoice> choose_between(const std::shared_ptr<const shards::Collection>& collection, const KeyBounds& bounds,
                                  const query::Collation& collation, const query::SortSpec& sort, bson::Value hint);
/// The walk over it.
Result<Plan> choose_bounded_plan(const std::shared_ptr<const shards::Collection>& collection, const KeyBounds& bounds,
                                 const query::Collation& collation, const query::SortSpec& sort, bson::Value hint);

}  // namespace partita::commands
