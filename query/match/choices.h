// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// Makes {a: {$in: [1, 2]}} of {$or: [{a: 1}, {a: 2}]}, as MongoDB does: one look at the values instead of several, and
/// bounds for indexes.
void join_choices(FilterTree& filter, const ExpressionContext& context);

}  // namespace partita::query
