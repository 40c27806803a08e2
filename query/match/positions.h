// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// Of a clause that has no say in which element of an array matched.
constexpr std::int32_t kNoTurn = -1;

/// For each node, when MongoDB would ask it: it sorts the clauses of a filter by operator and path, and of several that
/// meet an array the last one tells what `$` stands for. kNoTurn for what is within $nor, $not, $elemMatch and an $or of
/// several that can hold.
std::vector<std::int32_t> turns_of(const FilterTree& filter);

}  // namespace partita::query
