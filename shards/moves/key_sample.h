// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shards/catalog/collection.h"

namespace partita::shards {

class Store;

/// Where a collection would be cut into so many partitions of about the same size by a key: whole logical keys, ascending.
/// From a sample of its documents as they are at one moment; fewer where there are not so many keys.
Result<std::vector<std::string>> sample_bounds(Store& store, const Collection& collection, const query::ShardKey& key,
                                               std::size_t partitions, const std::function<Status()>& go_on);

}  // namespace partita::shards
