// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/match/filter_tree.h"

namespace partita::query {

/// Of a clause that has no say in which element of an array matched.
constexpr std::int32_t kNoTurn = -1;

/// When MongoDB would ask a clause: of several that meet an array the last one tells what `$` stands for. It sorts them by
/// operator and path; for a find's positional projection it takes them as they are written.
struct Turns {
  std::int32_t sorted = kNoTurn;
  std::int32_t written = kNoTurn;
};

/// For each node. kNoTurn for what is within $nor, $not, $elemMatch and an $or of several that can hold.
std::vector<Turns> turns_of(const FilterTree& filter);

}  // namespace partita::query
