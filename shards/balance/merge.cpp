// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/merge.h"

#include <algorithm>

#include "shards/balance/events.h"
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

bool share_segment(const Collection& collection, const Collection::Run& run) {
  return collection.run_of(run.first).end >= run.end;
}

BalanceOutcome outcome_of(const Collection& collection, const Collection::Run& run, PartitionId made) {
  BalancedPart part{made, collection.partitions[run.first].min, collection.partitions[run.end - 1].max, {}};
  for (std::size_t i = run.first; i < run.end; ++i) part.size += collection.partitions[i].partition->counters().total();
  BalanceOutcome outcome;
  outcome.parts.push_back(std::move(part));
  outcome.copies = !share_segment(collection, run);
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

Result<BalanceOutcome> merge_in_segment(Store& store, Catalog::Change& change, const Collection& collection,
                                        const Collection::Run& run) {
  const PartitionId made = change.reserve_partitions(1);
  std::vector<std::shared_ptr<Partition>> parts;
  for (std::size_t i = run.first; i < run.end; ++i) parts.push_back(collection.partitions[i].partition);
  const Clock::time_point since = Clock::now();
  Exclusion exclusion(parts);
  change.exclude(std::move(exclusion));
  CHECK_OK(closed.hit());
  BalanceOutcome outcome = outcome_of(collection, run, made);
  for (const auto& part : parts) change.retire(part->id(), collection.uuid);
  change.put(PartitionRow::key(collection.uuid, made), row_of(store, collection, run, outcome.parts[0]).encode());
  change.note("merge", collection.ns, told_merge(collection, run, outcome.parts[0]));
  CHECK_OK(change.commit());
  outcome.pause = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - since);
  return outcome;
}

/// Into tables of their own, with whatever shares one with them.
Result<BalanceOutcome> merge_apart(Store& store, const Collection& collection, const std::vector<PartitionId>& partitions,
                                   const BalanceJob::GoOn& go_on, BalanceJob& job) {
  job.phase = BalanceJob::Phase::kScanning;
  TRY(const Collection::Run run, find_neighbours(collection, partitions));
  const auto manner = job.automatic ? Catalog::CopyManner::kGivesWay : Catalog::CopyManner::kStays;
  TRY(const auto now, merge_by_copy(store, collection.ns, partitions.front(), partitions.back(), go_on, manner));
  BalanceOutcome outcome = outcome_of(collection, run, PartitionId{0});
  const PartitionSlot& made = now->locate(bytes_of(outcome.parts[0].min));
  outcome.parts[0].partition = made.partition->id();
  outcome.parts[0].size = made.partition->counters().total();
  return outcome;
}

}  // namespace

Result<BalanceOutcome> preview_merge(const Collection& collection, const std::vector<PartitionId>& partitions) {
  TRY(const Collection::Run run, find_neighbours(collection, partitions));
  return outcome_of(collection, run, PartitionId{0});
}

Result<BalanceOutcome> merge_partitions(Store& store, const Uuid& uuid, const std::vector<PartitionId>& partitions,
                                        const BalanceJob::GoOn& go_on, BalanceJob& job) {
  std::shared_ptr<const Collection> apart;
  BalanceOutcome outcome;
  {
    Catalog::Change change(store.catalog());
    const BalanceJob::GoOn wait = job.automatic ? not_for_long(go_on) : go_on;
    TRY(const auto collection, change.find(uuid, Catalog::Change::Jobs::kAwaitAll, wait));
    if (collection == nullptr) return error(Code::NamespaceNotFound, "the collection is gone");
    TRY(const Collection::Run run, find_neighbours(*collection, partitions));
    if (share_segment(*collection, run)) {
      job.phase = BalanceJob::Phase::kPublishing;
      TRY(outcome, merge_in_segment(store, change, *collection, run));
    } else {
      apart = collection;
    }
  }
  if (apart != nullptr) return merge_apart(store, *apart, partitions, go_on, job);
  merged.pass();
  return outcome;
}

}  // namespace partita::shards
