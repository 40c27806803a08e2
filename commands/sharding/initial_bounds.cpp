// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/initial_bounds.h"

#include "commands/settings/parameters.h"
#include "shards/moves/key_sample.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// More are no use to anybody: each takes memory, and a query without the key asks all of them.
constexpr std::int64_t kMostPartitions = 8192;

parameters::Whole initial_partitions{
    {.name = "initialPartitions",
     .summary = "Partitions that a collection begins with when it is sharded by a hash, or holds documents already, where "
                "numInitialChunks does not say."},
    {.initial = 4, .least = 1, .most = kMostPartitions}};

}  // namespace

Status check_initial_chunks(std::int64_t chunks) {
  if (chunks >= 1 && chunks <= kMostPartitions) return {};
  return error(Code::InvalidOptions, "numInitialChunks must be between 1 and ", kMostPartitions, ", but got ", chunks);
}

Result<std::vector<std::string>> initial_bounds(shards::Store& store, const shards::Namespace& ns, const query::ShardKey& key,
                                                std::optional<std::int64_t> chunks, const std::function<Status()>& go_on) {
  const auto partitions = static_cast<std::size_t>(chunks.value_or(initial_partitions.get()));
  std::vector<std::string> bounds;
  if (key.spreads()) {
    for (std::size_t i = 1; i < partitions; ++i) bounds.push_back(query::even_bound(i, partitions));
    return bounds;
  }
  const auto collection = store.catalog().share()->share(ns.full());
  if (collection == nullptr || collection->size().documents == 0) return bounds;
  return shards::sample_bounds(store, *collection, key, partitions, go_on);
}

}  // namespace partita::commands
