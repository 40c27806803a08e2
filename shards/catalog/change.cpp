// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/change.h"

#include <algorithm>
#include <set>

#include "shards/log/write_unit.h"
#include "shards/storage/fail_point.h"
#include "shards/storage/fatal.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

/// Between two looks at whether to go on waiting.
constexpr std::chrono::milliseconds kLook(10);

FailPoint before_record{"catalogBeforeRecord", "All is ready for a change of the catalog, nothing of it is written."};
FailPoint record_committed{"catalogRecordCommitted", "A change of the catalog is in the log and nobody has seen it."};
FailPoint published{"catalogPublished", "A change of the catalog is visible; tables that it dropped are still there."};

}  // namespace

Result<Catalog::Change::Collections> Catalog::Change::find_unclaimed(const std::function<Collections()>& find, Jobs jobs,
                                                                     const Interrupt& interrupted) {
  while (true) {
    Collections found = find();
    bool claimed = false;
    for (const auto& collection : found) {
      const auto claim = catalog_.claimed_.find(collection->uuid);
      if (claim == catalog_.claimed_.end()) continue;
      claimed = true;
      const bool ends = jobs == Jobs::kAbort || (jobs == Jobs::kAwait && claim->second.yields);
      if (ends) claim->second.unwanted->store(true, std::memory_order_relaxed);
    }
    if (!claimed) return found;
    catalog_.claim_ended_.wait_for(lock_, kLook);
    if (interrupted) CHECK_OK(interrupted());
  }
}

Result<std::shared_ptr<const Collection>> Catalog::Change::find(const Namespace& ns, Jobs jobs,
                                                                const Interrupt& interrupted) {
  const auto named = [&] {
    Collections one;
    if (auto collection = catalog_.share()->share(ns.full())) one.push_back(std::move(collection));
    return one;
  };
  TRY(Collections found, find_unclaimed(named, jobs, interrupted));
  return found.empty() ? nullptr : std::move(found.front());
}

Result<std::shared_ptr<const Collection>> Catalog::Change::find(const Uuid& uuid, Jobs jobs, const Interrupt& interrupted) {
  const auto known = [&] {
    Collections one;
    if (auto collection = catalog_.share()->share(uuid)) one.push_back(std::move(collection));
    return one;
  };
  TRY(Collections found, find_unclaimed(known, jobs, interrupted));
  return found.empty() ? nullptr : std::move(found.front());
}

Result<Catalog::Change::Collections> Catalog::Change::find_all(std::string_view db, Jobs jobs,
                                                               const Interrupt& interrupted) {
  return find_unclaimed([&] { return catalog_.share()->collections(db); }, jobs, interrupted);
}

Result<Catalog::Change::Pair> Catalog::Change::find_both(const Namespace& first, const Namespace& second,
                                                         const Interrupt& interrupted) {
  Pair pair;
  const auto look = [&] {
    const auto snapshot = catalog_.share();
    pair = {snapshot->share(first.full()), snapshot->share(second.full())};
    Collections found;
    if (pair.first != nullptr) found.push_back(pair.first);
    if (pair.second != nullptr) found.push_back(pair.second);
    return found;
  };
  CHECK_OK(find_unclaimed(look, Jobs::kAwait, interrupted).status());
  return pair;
}

void Catalog::Change::erase(const Collection& collection) {
  erase(CollectionRow::key(collection.uuid));
  std::set<PartitionId> gone;
  for (const PartitionSlot& slot : collection.partitions) {
    gone.insert(slot.partition->id());
    gone.insert(slot.inherits.begin(), slot.inherits.end());
  }
  for (const PartitionId id : gone) erase(PartitionRow::key(collection.uuid, id));
  for (const auto& [id, plan] : state().plans(collection.uuid)) erase(PlanRow::key(collection.uuid, id));
}

PartitionId Catalog::Change::reserve_partitions(std::size_t count) {
  const PartitionId first{catalog_.reserve_partitions(count)};
  MetaRow meta = state().meta();
  meta.next_partition = std::max(meta.next_partition, catalog_.next_partition_);
  put(MetaRow::key(), meta.encode());
  return first;
}

void Catalog::Change::note(std::string_view what, const Namespace& ns, bson::Document details) {
  events_.push_back({{catalog_.store_.clock().wall().now_ms()}, std::string(what), ns.full(), std::move(details)});
}

void Catalog::Change::put_events() {
  std::uint64_t number = catalog_.state_.next_event();
  for (const EventRow& event : events_) {
    put(EventRow::key(number), event.encode());
    if (number > EventRow::kKept) erase(EventRow::key(number - EventRow::kKept));
    ++number;
  }
  events_.clear();
}

Status Catalog::Change::commit() {
  put_events();
  CHECK_OK(before_record.hit());
  CHECK_OK(write());
  // The change is in the log: from here on it has happened, whatever this process can make of it.
  if (const Status shown = show(); !shown.ok())
    end_process(22437, "A change of the catalog that is in the log cannot be shown", shown);
  return {};
}

Status Catalog::Change::show() {
  CHECK_OK(record_committed.hit());
  for (const Row& row : rows_) {
    CHECK_OK(row.document ? catalog_.state_.put(bytes_of(row.key), row.document->view())
                          : catalog_.state_.erase(bytes_of(row.key)));
  }
  for (const SegmentId segment : adopted_segments_) catalog_.state_.adopt(segment);
  for (const auto& [segment, index] : adopted_) catalog_.state_.adopt(segment, index);
  return publish();
}

Status Catalog::Change::write() {
  TRY(const SessionLease session, SessionLease::take(catalog_.store_.engine()));
  // Writers wait at closed gates, and may be those who would make room.
  TRY(const CacheExemption exempt, CacheExemption::take(*session));
  WriteUnit unit(catalog_.store_, *session);
  CHECK_OK(unit.begin(RecordKind::kCatalog, kCatalogLog));
  for (const Row& row : rows_) {
    if (row.kind == Row::Kind::kRetire) {
      CHECK_OK(unit.retire_catalog_row(row.key));
    } else {
      CHECK_OK(row.document ? unit.put_catalog_row(row.key, row.document->view()) : unit.erase_catalog_row(row.key));
    }
  }
  TRY(committed_, unit.commit());
  return {};
}

Status Catalog::Change::publish() {
  const std::uint64_t version = catalog_.version() + 1;
  CHECK_OK(catalog_.publish_locked(committed_));
  for (Exclusion& exclusion : excluded_) exclusion.open(version);
  excluded_.clear();
  published.pass();
  return {};
}

}  // namespace partita::shards
