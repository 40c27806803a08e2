// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/merge_by_copy.h"

#include <algorithm>

#include "shards/store.h"

namespace partita::shards {

Result<std::shared_ptr<const Collection>> merge_by_copy(Store& store, const Namespace& ns, PartitionId first, PartitionId last,
                                                        const Catalog::Interrupt& interrupted, Catalog::CopyManner manner) {
  const auto collection = store.catalog().share()->share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns not found: ", ns.full());
  const auto place_of = [&](PartitionId id) {
    const auto at = std::ranges::find(collection->partitions, id, [](const PartitionSlot& slot) { return slot.partition->id(); });
    return static_cast<std::size_t>(at - collection->partitions.begin());
  };
  const Collection::Run merged{place_of(first), place_of(last) + 1};
  if (merged.first >= merged.end || merged.end > collection->partitions.size()) {
    return error(Code::ConflictingOperationInProgress, "the partitions of ", ns.full(), " have changed");
  }
  std::vector<Collection::Run> groups;
  for (std::size_t i = collection->run_of(merged.first).first; i < merged.first; ++i) groups.push_back({i, i + 1});
  groups.push_back(merged);
  const std::size_t end = collection->run_of(merged.end - 1).end;
  for (std::size_t i = merged.end; i < end; ++i) groups.push_back({i, i + 1});
  return store.catalog().copy_partitions(*collection, groups, manner, interrupted);
}

}  // namespace partita::shards
