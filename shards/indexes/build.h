// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "shards/catalog/collection.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// Makes an index's table for one partition and fills it from the documents that are there. Nobody writes to the
/// partition meanwhile. The entries carry no time, since nobody reads the index before it is published; a crash before
/// that leaves a table that no catalog row knows, and one after it has replay build the index again.
Result<std::shared_ptr<PartitionIndex>> build_index(Engine& engine, const Partition& partition,
                                                    std::shared_ptr<const IndexSpec> spec);

/// The same into a table that is there and empty.
Status fill_index(Engine& engine, const Partition& partition, PartitionIndex& index);

}  // namespace partita::shards
