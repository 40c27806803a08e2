// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/plan.h"
#include "query/match/matcher.h"

namespace partita::commands {

/// Runs some of a query's plans in turns, for a few rows each, until one of them has found a first batch or all there is, or
/// enough has been looked at. Figures in the order of the orders. What is read is not kept. On a worker.
Result<std::vector<TrialFigures>> try_plans(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection,
                                            const PlanChoice& choice, const query::Matcher& matcher, std::size_t plans);

}  // namespace partita::commands
