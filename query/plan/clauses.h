// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "query/match/filter_tree.h"

/// A filter with an $or, taken apart: what matches it matches one of its clauses and all that stands beside the $or.
namespace partita::query {

/// The $ors that must hold for the filter to hold, by their places among its nodes.
std::vector<std::uint32_t> choices_of(const FilterTree& filter);

/// Whether the filter is nothing but an $or.
bool is_choice_alone(const FilterTree& filter);

/// The filter once for each clause of one of its $ors, with that clause in the place of the $or; nothing when there are too
/// many. They are for planning only: nothing can be matched by them, and their operands lie in the filter, which must outlive
/// them.
std::vector<std::shared_ptr<const FilterTree>> clauses_of(const FilterTree& filter, std::uint32_t choice);

}  // namespace partita::query
