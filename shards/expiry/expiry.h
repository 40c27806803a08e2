// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>

#include "shards/catalog/collection.h"

namespace partita::shards {

class Store;

/// Deletes what has expired by an index with expireAfterSeconds, and counts it in `deleted`: few documents to a write, each
/// looked at again there, with pauses as long as the work. Between two writes `go_on` is asked; its failure ends all.
Status delete_expired(Store& store, const std::shared_ptr<const Collection>& collection,
                      const std::shared_ptr<const IndexSpec>& index, const std::function<Status()>& go_on,
                      std::atomic<std::int64_t>& deleted);

}  // namespace partita::shards
