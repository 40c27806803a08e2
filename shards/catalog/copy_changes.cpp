// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changes of a collection's map that copy its rows into new tables. The copying may take long: it runs without the change
// lock, under a claim on the collection, and takes the lock only to begin and to publish. The copies are not in the log. The
// record of the change says which partitions go and which come, how much each of these holds, and that is all; who replays
// it copies again. So the old tables stay until a checkpoint has the new ones.
#include <algorithm>
#include <chrono>

#include "shards/catalog/change.h"
#include "shards/catalog/claim.h"
#include "shards/catalog/copy_plan.h"
#include "shards/catalog/new_partitions.h"
#include "shards/moves/partition_copy.h"
#include "shards/storage/fail_point.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

FailPoint writers_out{"copyWritersOut", "Partitions are copied but for the last documents, and their writers are kept out."};

/// Partitions whose retry rows hold where these have been.
std::vector<PartitionId> heritage(const Collection& collection, Collection::Run places) {
  std::vector<PartitionId> inherits;
  for (std::size_t i = places.first; i < places.end; ++i) {
    const PartitionSlot& slot = collection.partitions[i];
    inherits.push_back(slot.partition->id());
    inherits.insert(inherits.end(), slot.inherits.begin(), slot.inherits.end());
  }
  std::ranges::sort(inherits);
  inherits.erase(std::ranges::unique(inherits).begin(), inherits.end());
  return inherits;
}

bool is_whole_segments(const Collection& collection, const std::vector<Collection::Run>& groups) {
  if (groups.empty() || groups.back().end > collection.partitions.size()) return false;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    if (groups[i].first != groups[i - 1].end) return false;
  }
  return collection.run_of(groups.front().first).first == groups.front().first &&
         collection.run_of(groups.back().end - 1).end == groups.back().end;
}

Status has_changed(const Collection& collection) {
  return error(Code::ConflictingOperationInProgress, "the partitions of ", collection.ns.full(), " have changed");
}

/// Keeps the writers out, at a moment when the rest of the log is short. A thread that has lost its processor in between lets
/// them in again and comes nearer first, but not for ever.
Result<Exclusion> close_near(std::span<const PartitionSlot> slots, PartitionCopy& rows, std::chrono::steady_clock::time_point& closed) {
  constexpr Sequence kFewRecords = 40;
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    CHECK_OK(rows.approach());
    closed = std::chrono::steady_clock::now();
    Exclusion exclusion(slots);
    if (rows.behind() <= kFewRecords || attempt == kAttempts) return exclusion;
  }
}

std::int64_t micros_since(std::chrono::steady_clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace

Catalog::CopyWishes::CopyWishes(Catalog& catalog, const Uuid& collection) : catalog_(catalog), collection_(collection) {
  const std::lock_guard lock(catalog_.change_mutex_);
  catalog_.copies_.emplace(collection_, this);
}

Catalog::CopyWishes::~CopyWishes() {
  const std::lock_guard lock(catalog_.change_mutex_);
  catalog_.copies_.erase(collection_);
}

bool Catalog::abort_copy(const Namespace& ns) {
  return wish(ns, [](CopyWishes& wishes) { wishes.aborted = true; });
}

bool Catalog::hurry_copy(const Namespace& ns) {
  return wish(ns, [](CopyWishes& wishes) { wishes.hurried = true; });
}

bool Catalog::wish(const Namespace& ns, const std::function<void(CopyWishes&)>& what) {
  const std::lock_guard lock(change_mutex_);
  const auto collection = share()->share(ns.full());
  const auto copy = collection == nullptr ? copies_.end() : copies_.find(collection->uuid);
  if (copy == copies_.end()) return false;
  what(*copy->second);
  return true;
}

Result<std::shared_ptr<const Collection>> Catalog::repartition(const Namespace& ns, const ChooseLayout& choose,
                                                               const Interrupt& interrupted, BuildProgress* progress) {
  Claim claim(*this, Code::ReshardCollectionAborted, "Copying into new partitions");
  CopyPlan plan;
  {
    Change change(*this);
    TRY(auto collection, change.find(ns, Change::Jobs::kAwait, interrupted));
    if (collection == nullptr) return error(Code::NamespaceNotFound, "ns not found: ", ns.full());
    TRY(std::optional<Layout> layout, choose(*collection));
    if (!layout) return collection;
    if (layout->sharding != nullptr) CHECK_OK(check_unique_indexes(*collection, *layout->sharding));
    plan.places = {0, collection->partitions.size()};
    plan.row = divided_by(*collection, layout->sharding.get(), layout->unique_id);
    TRY(plan.claims, new_claims(plan.row, collection->sharding.get()));
    plan.sharding = std::move(layout->sharding);
    plan.bounds = std::move(layout->bounds);
    plan.most_segments = NewPartitions::kMostSegments;
    plan.inherits.push_back(heritage(*collection, plan.places));
    plan.first = PartitionId{reserve_partitions(plan.bounds.size() + 1)};
    claim.take(std::move(collection));
  }
  CHECK_OK(copy(claim, plan, interrupted, progress));
  return share()->share(claim.collection()->uuid);
}

Result<std::shared_ptr<const Collection>> Catalog::copy_partitions(const Collection& collection,
                                                                   const std::vector<Collection::Run>& groups, CopyManner manner,
                                                                   const Interrupt& interrupted, BuildProgress* progress) {
  if (!is_whole_segments(collection, groups)) return error(Code::BadValue, "the partitions to be copied are not whole segments");
  Claim claim(*this, Code::ReshardCollectionAborted, "Copying into new partitions");
  CopyPlan plan;
  {
    Change change(*this);
    const bool gives_way = manner == CopyManner::kGivesWay;
    TRY(auto now, change.find(collection.uuid, gives_way ? Change::Jobs::kAwaitAll : Change::Jobs::kAwait, interrupted));
    if (now == nullptr || !now->is_clustered_as(collection)) return has_changed(collection);
    const std::size_t first = now->slot_of(bytes_of(collection.partitions[groups.front().first].min));
    const std::size_t count = groups.back().end - groups.front().first;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& was = collection.partitions[groups.front().first + i].partition;
      const bool same = first + i < now->partitions.size() && now->partitions[first + i].partition->id() == was->id();
      if (!same) return has_changed(collection);
    }
    plan.places = {first, first + count};
    plan.sharding = now->sharding;
    plan.row = state_.row(now->uuid)->copy();
    plan.min = now->partitions[first].min;
    for (const Collection::Run& group : groups) {
      const std::size_t begin = first + group.first - groups.front().first;
      if (begin != first) plan.bounds.push_back(now->partitions[begin].min);
      plan.inherits.push_back(heritage(*now, {begin, begin + group.end - group.first}));
      plan.origins.push_back(now->partitions[begin].origin);
    }
    plan.first = PartitionId{reserve_partitions(groups.size())};
    claim.take(std::move(now), gives_way ? Claim::Manner::kYields : Claim::Manner::kStays);
  }
  CHECK_OK(copy(claim, plan, interrupted, progress));
  return share()->share(collection.uuid);
}

Status Catalog::copy(const Claim& claim, const CopyPlan& plan, const Interrupt& interrupted, BuildProgress* progress) {
  const std::shared_ptr<const Collection>& source = claim.collection();
  NewPartitions fresh(store_, plan.first, plan.bounds, plan.min, plan.most_segments);
  CHECK_OK(fresh.make_tables());
  CHECK_OK(fresh.make_indexes(plan.row.indexes));
  if (!plan.claims.empty()) CHECK_OK(fresh.make_claims(plan.claims));
  Collection target;
  target.ns = source->ns;
  target.uuid = source->uuid;
  target.sharding = plan.sharding;
  target.collation = source->collation;
  target.partitions = fresh.slots(source->uuid);
  target.note_heads();
  for (std::size_t i = 0; i < target.partitions.size(); ++i) {
    target.partitions[i].inherits = plan.inherits.size() == 1 ? plan.inherits[0] : plan.inherits[i];
    if (!plan.origins.empty()) target.partitions[i].origin = plan.origins[i];
    target.partitions[i].collation = source->collation.get();
  }
  CopyWishes wishes(*this, source->uuid);
  const Interrupt go_on = [&]() -> Status {
    CHECK_OK(claim.check());
    if (wishes.aborted) return error(Code::ReshardCollectionAborted, "aborted");
    return interrupted ? interrupted() : Status();
  };
  const auto began = std::chrono::steady_clock::now();
  PartitionCopy rows(store_, source, plan.places, target, go_on, progress);
  CHECK_OK(rows.run(wishes.hurried));
  std::int64_t pause_us = 0;
  CHECK_OK(publish_copy(claim, plan, fresh, rows, target, pause_us));
  log::info(log::Component::kStorage, 22445, "Partitions copied into tables of their own",
            {{"collection", source->ns.full()},
             {"partitions", static_cast<std::int64_t>(target.partitions.size())},
             {"documents", target.size().documents},
             {"micros", micros_since(began)},
             {"pauseMicros", pause_us}});
  fresh.release();
  if (store_.options().checkpoint_after_copy) store_.checkpoint_soon();
  return {};
}

// The lock first: nobody shall have to wait for it with the writers kept out.
Status Catalog::publish_copy(const Claim& claim, const CopyPlan& plan, const NewPartitions& fresh, PartitionCopy& rows,
                             const Collection& target, std::int64_t& pause_us) {
  const Collection& source = *claim.collection();
  const auto old = std::span(source.partitions).subspan(plan.places.first, plan.places.end - plan.places.first);
  const Announcement announcement(old);
  announcement.let_leave();
  Change change(*this);
  auto closed = std::chrono::steady_clock::now();
  TRY(Exclusion exclusion, close_near(old, rows, closed));
  CHECK_OK(writers_out.hit());
  CHECK_OK(rows.finish());
  change.exclude(std::move(exclusion));
  for (const PartitionSlot& slot : old) change.retire(slot.partition->id(), source.uuid);
  MetaRow meta = state_.meta();
  meta.next_partition = std::max(meta.next_partition, next_partition_);
  change.put(MetaRow::key(), meta.encode());
  change.put(CollectionRow::key(source.uuid), plan.row.encode());
  fresh.add_to(change, source.uuid, target.partitions);
  change.note("repartition", source.ns, bson::Document::build([&](bson::Writer& details) {
    details.add("partitionsBefore", static_cast<std::int32_t>(old.size()));
    details.add("partitionsAfter", static_cast<std::int32_t>(target.partitions.size()));
    details.add("documents", target.size().documents);
  }));
  CHECK_OK(change.commit());
  pause_us = micros_since(closed);
  return {};
}

}  // namespace partita::shards
