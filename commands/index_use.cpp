// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/index_use.h"

#include <map>
#include <mutex>

namespace partita::commands {

std::shared_ptr<IndexUse> index_use(const shards::Collection& collection, std::uint32_t id) {
  static std::mutex mutex;
  static std::map<std::pair<shards::Uuid, std::uint32_t>, std::shared_ptr<IndexUse>> uses;
  const std::lock_guard lock(mutex);
  std::shared_ptr<IndexUse>& use = uses[{collection.uuid, id}];
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

}  // namespace partita::commands
