// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/index_use.h"

#include <map>
#include <mutex>
#include <set>

#include "shards/catalog/catalog.h"

namespace partita::commands {
namespace {

/// Collection and index. None is ever used again.
using Key = std::pair<shards::Uuid, std::uint32_t>;

struct Uses {
  std::mutex mutex;
  std::map<Key, std::shared_ptr<IndexUse>> by_index;
  std::pair<const shards::Catalog*, std::uint64_t> looked_at{};  ///< What is kept has been in it, in that version.
};

Uses& uses() {
  static Uses all;
  return all;
}

std::set<Key> all_keys() {
  std::set<Key> keys;
  const std::lock_guard lock(uses().mutex);
  for (const auto& [key, use] : uses().by_index) keys.insert(key);
  return keys;
}

}  // namespace

std::shared_ptr<IndexUse> index_use(const shards::Collection& collection, std::uint32_t id) {
  const std::lock_guard lock(uses().mutex);
  std::shared_ptr<IndexUse>& use = uses().by_index[{collection.uuid, id}];
  if (use == nullptr) use = std::make_shared<IndexUse>();
  return use;
}

void count_record_use(const shards::Collection& collection) {
  struct Last {
    shards::Uuid uuid{};
    std::shared_ptr<IndexUse> use;
  };
  thread_local Last last;
  if (last.use == nullptr || last.uuid != collection.uuid) last = {collection.uuid, index_use(collection, 0)};
  last.use->count();
}

void forget_index_uses(shards::Catalog& catalog) {
  // Before the catalog is looked at: what has been counted by then is of indexes that it knows, or that have gone.
  const std::pair<const shards::Catalog*, std::uint64_t> now{&catalog, catalog.version()};
  {
    const std::lock_guard lock(uses().mutex);
    if (std::exchange(uses().looked_at, now) == now) return;  // Most commands of administrators change nothing.
  }
  std::set<Key> gone = all_keys();
  if (gone.empty()) return;
  const auto snapshot = catalog.share();
  for (const auto& collection : snapshot->all()) {
    gone.erase({collection->uuid, 0});
    for (const auto& spec : collection->indexes) gone.erase({collection->uuid, spec->id});
  }
  const std::lock_guard lock(uses().mutex);
  for (const Key& key : gone) uses().by_index.erase(key);
}

std::size_t index_uses() {
  const std::lock_guard lock(uses().mutex);
  return uses().by_index.size();
}

}  // namespace partita::commands
