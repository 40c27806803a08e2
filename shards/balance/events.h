// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/balance/job.h"
#include "shards/catalog/collection.h"

namespace partita::shards {

/// What config.changelog tells of a split or a merge: ranges and sizes before and after.
bson::Document told_split(const Collection& collection, const PartitionSlot& before, const std::vector<BalancedPart>& after);
bson::Document told_merge(const Collection& collection, const Collection::Run& before, const BalancedPart& after);

}  // namespace partita::shards
