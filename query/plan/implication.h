// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// Whether every document that `query` matches is matched by `filter` too, as far as their forms say so: a partial index
/// holds all that is asked for then. Sound, not complete: {a: {$gt: 5, $lt: 6}} is not seen to imply {a: {$ne: 7}}. What
/// a filter of an index may consist of is known: $and, $or, comparisons, $in, $exists: true, $type.
bool implies(const FilterTree& query, const FilterTree& filter);

}  // namespace partita::query
