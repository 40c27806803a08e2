// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/balance/job.h"
#include "shards/catalog/catalog.h"

namespace partita::shards {

/// Makes one partition of neighbours, named in the order of the map. Where they share a segment that is a change of the map
/// alone, one record, for which writers of these are kept out; what they hold together is the sum of what they held. Where
/// they do not, their rows are copied (moves/merge_by_copy.h).
///
/// BadValue when they are no neighbours, or not there any more.
Result<BalanceOutcome> merge_partitions(Store& store, const Uuid& collection, const std::vector<PartitionId>& partitions,
                                        const BalanceJob::GoOn& go_on, BalanceJob& job);
/// What that would do.
Result<BalanceOutcome> preview_merge(const Collection& collection, const std::vector<PartitionId>& partitions);

}  // namespace partita::shards
