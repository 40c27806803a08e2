// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "query/shard_key/shard_key.h"
#include "shards/catalog/names.h"

namespace partita::shards {
class Store;
}

namespace partita::commands {

/// How many partitions a command may ask for.
Status check_initial_chunks(std::int64_t chunks);

/// The first record keys of all partitions but the first, for a collection that is about to be divided by a key. A space of
/// hashes is cut evenly; the values of a key in their order where the documents that are there say, which nobody knows of an
/// empty collection: that begins with one partition. `chunks` is how many the user wants.
Result<std::vector<std::string>> initial_bounds(shards::Store& store, const shards::Namespace& ns, const query::ShardKey& key,
                                                std::optional<std::int64_t> chunks, const std::function<Status()>& go_on);

}  // namespace partita::commands
