// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/balance/job.h"
#include "shards/catalog/catalog.h"

namespace partita::shards {

/// Makes one partition of neighbours. Where they share a segment that is a change of the map alone, one record, for which
/// writers of these are kept out; what they hold together is the sum of what they held. Else their rows are copied. Named in
/// the order of the map.
///
/// BadValue when they are no neighbours, or not there any more.
Result<BalanceOutcome> merge_partitions(Store& store, const Uuid& collection, const std::vector<PartitionId>& partitions,
                                        const BalanceJob::GoOn& go_on, BalanceJob& job);
/// Whether it would be a change of the map alone.
bool merges_by_map(const Collection& collection, const std::vector<PartitionId>& partitions);
/// What that would do.
Result<BalanceOutcome> preview_merge(const Collection& collection, const std::vector<PartitionId>& partitions);

}  // namespace partita::shards
