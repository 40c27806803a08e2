// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/merge.h"

#include <algorithm>

#include "shards/catalog/change.h"
#include "shards/moves/merge_by_copy.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

using Clock = std::chrono::steady_clock;

FailPoint closed{"mergeClosed", "Writers of several partitions are kept out, the record that merges them is not written."};
FailPoint merged{"mergePublished", "Several partitions have become one, which is written to."};

/// The neighbours' place in the map.
Result<Collection::Run> find_neighbours(const Collection& collection, const std::vector<PartitionId>& partitions) {
  if (partitions.size() < 2) return error(Code::BadValue, "a merge takes two partitions at least");
  const auto& slots = collection.partitions;
  const auto is_first = [&](const PartitionSlot& slot) { return slot.partition->id() == partitions[0]; };
  const auto first = static_cast<std::size_t>(std::ranges::find_if(slots, is_first) - slots.begin());
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    const bool in_place = first + i < slots.size() && slots[first + i].partition->id() == partitions[i];
    if (!in_place) {
      return error(Code::BadValue, "partition ", static_cast<std::uint32_t>(partitions[i]), " of ", collection.ns.full(),
                   i == 0 ? " is not there" : " is not the neighbour of the one before");
    }
  }
  return Collection::Run{first, first + partitions.size()};
}

/// Then the map is all that changes.
bool share_segment(const Collection& collection, const Collection::Run& run) { return collection.run_of(run.first).end >= run.end; }

BalanceOutcome outcome_of(const Collection& collection, const Collection::Run& run, PartitionId made) {
  BalancedPart part{made, collection.partitions[run.first].min, collection.partitions[run.end - 1].max, {}};
  for (std::size_t i = run.first; i < run.end; ++i) part.size += collection.partitions[i].partition->counters().total();
  BalanceOutcome outcome;
  outcome.parts.push_back(std::move(part));
  return outcome;
}

PartitionRow row_of(Store& store, const Collection& collection, const Collection::Run& run, const BalancedPart& part) {
  const PartitionSlot& first = collection.partitions[run.first];
  PartitionRow row{.min = part.min,
                   .segment = static_cast<std::uint32_t>(first.partition->segment()),
                   .documents = part.size.documents,
                   .bytes = part.size.bytes,
                   .created = {store.clock().wall().now_ms()}};
  const auto inherit = [&](PartitionId id) {
    if (std::ranges::find(row.inherits, id) == row.inherits.end()) row.inherits.push_back(id);
  };
  for (std::size_t i = run.first; i < run.end; ++i) {
    inherit(collection.partitions[i].partition->id());
    std::ranges::for_each(collection.partitions[i].inherits, inherit);
  }
  row.origin = first.origin.value_or(first.partition->id());
  return row;
}

}  // namespace

Result<BalanceOutcome> preview_merge(const Collection& collection, const std::vector<PartitionId>& partitions) {
  TRY(const Collection::Run run, find_neighbours(collection, partitions));
  return outcome_of(collection, run, PartitionId{0});
}

bool merges_by_map(const Collection& collection, const std::vector<PartitionId>& partitions) {
  const auto run = find_neighbours(collection, partitions);
  return run.ok() && share_segment(collection, *run);
}

namespace {

/// Rows of several segments have to be copied into one.
Result<BalanceOutcome> merge_copied(Store& store, const Collection& collection, const Collection::Run& run,
                                    const BalanceJob::GoOn& go_on, BalanceJob& job) {
  job.phase = BalanceJob::Phase::kScanning;
  TRY(const auto now, merge_by_copy(store, collection.ns, collection.partitions[run.first].partition->id(),
                                    collection.partitions[run.end - 1].partition->id(), go_on));
  const PartitionSlot& made = now->locate(bytes_of(collection.partitions[run.first].min));
  BalanceOutcome outcome;
  outcome.parts.push_back({made.partition->id(), made.min, made.max, made.partition->counters().total()});
  return outcome;
}

}  // namespace

Result<BalanceOutcome> merge_partitions(Store& store, const Uuid& uuid, const std::vector<PartitionId>& partitions,
                                        const BalanceJob::GoOn& go_on, BalanceJob& job) {
  if (const auto now = store.catalog().share()->share(uuid)) {
    TRY(const Collection::Run run, find_neighbours(*now, partitions));
    if (!share_segment(*now, run)) return merge_copied(store, *now, run, go_on, job);
  }
  BalanceOutcome outcome;
  {
    Catalog::Change change(store.catalog());
    TRY(const auto collection, change.find(uuid, Catalog::Change::Jobs::kAwaitAll, go_on));
    if (collection == nullptr) return error(Code::NamespaceNotFound, "the collection is gone");
    TRY(const Collection::Run run, find_neighbours(*collection, partitions));
    if (!share_segment(*collection, run)) return error(Code::ConflictingOperationInProgress, "the partitions have just moved");
    job.phase = BalanceJob::Phase::kPublishing;
    const PartitionId made = change.reserve_partitions(1);
    std::vector<std::shared_ptr<Partition>> parts;
    for (std::size_t i = run.first; i < run.end; ++i) parts.push_back(collection->partitions[i].partition);
    const Clock::time_point since = Clock::now();
    Exclusion exclusion(std::move(parts));
    change.exclude(std::move(exclusion));
    CHECK_OK(closed.hit());
    outcome = outcome_of(*collection, run, made);
    for (const PartitionId id : partitions) change.retire(id, uuid);
    change.put(PartitionRow::key(uuid, made), row_of(store, *collection, run, outcome.parts[0]).encode());
    CHECK_OK(change.commit());
    outcome.pause = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
  }
  merged.pass();
  return outcome;
}

}  // namespace partita::shards
