// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/catalog.h"

#include <algorithm>

#include "shards/catalog/change.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

struct CachedSnapshot {
  std::uint64_t catalog = 0;  ///< Its identity: an address may be used again.
  std::uint64_t version = 0;
  std::shared_ptr<const CatalogSnapshot> snapshot;
};
thread_local CachedSnapshot cached_snapshot;

std::atomic<std::uint64_t> next_identity{1};

FailPoint table_made{"catalogTableMade", "A new collection has its table, and no row yet."};
FailPoint table_removed{"catalogTableRemoved", "One table of those dropped has been removed."};

/// Who waits for more of a capped collection shall see what has become of it.
void wake_tails(const CatalogSnapshot& before, const CatalogSnapshot& now) {
  for (const Collection& collection : before.capped()) {
    if (now.find(collection.ns.full()) != &collection) collection.partitions.front().partition->tail().changed();
  }
}

Status not_found(const Namespace& ns) { return error(Code::NamespaceNotFound, "ns not found: ", ns.full()); }

}  // namespace

Catalog::Catalog(Store& store, CatalogState state)
    : identity_(next_identity.fetch_add(1)), store_(store), state_(std::move(state)) {
  snapshot_ = state_.publish(1);
  for (const auto& collection : snapshot_->all()) {
    for (const PartitionSlot& slot : collection->partitions) slot.partition->gate().set_version(1);
  }
  version_.store(1, std::memory_order_release);
}

const CatalogSnapshot& Catalog::snapshot() {
  CachedSnapshot& cached = cached_snapshot;
  if (cached.catalog != identity_ || cached.version != version()) [[unlikely]] {
    cached.snapshot = share();
    cached.catalog = identity_;
    cached.version = cached.snapshot->version;
  }
  return *cached.snapshot;
}

std::shared_ptr<const CatalogSnapshot> Catalog::share() {
  const std::lock_guard lock(snapshot_mutex_);
  return snapshot_;
}

std::shared_ptr<const CatalogSnapshot> Catalog::settled() {
  const std::lock_guard lock(change_mutex_);
  return share();
}

Status Catalog::publish_locked(Time changed) {
  TRY(CatalogState::Changes changes, state_.settle());
  assert(changes.unfilled.empty() && "live changes fill their indexes before they commit");
  assert(changes.takeovers.empty() && "and their tables");
  const std::uint64_t version = this->version() + 1;
  std::shared_ptr<const CatalogSnapshot> next = state_.publish(version);
  for (const auto& collection : next->all()) {
    if (collection->version != version) continue;
    for (const PartitionSlot& slot : collection->partitions) slot.partition->gate().set_version(version);
  }
  std::shared_ptr<const CatalogSnapshot> before;
  {
    const std::lock_guard lock(snapshot_mutex_);
    before = std::exchange(snapshot_, next);
  }
  version_.store(version, std::memory_order_release);
  wake_tails(*before, *next);
  remove_later(changes.dropped);
  if (!changes.retired.empty()) retire(std::move(changes.retired), changed);
  return {};
}

/// Where the records' order says nothing of the _id, looking it up takes an index.
Status Catalog::index_ids(CollectionRow& row, SegmentId segment, Change& change) {
  const IndexRow& index = row.indexes.emplace_back(IndexRow{row.next_index++, bson::Document::build([&](bson::Writer& definition) {
    definition.add("v", 2);
    definition.document("key").add("_id", 1);
    definition.add("name", "_id_");
    if (row.options.view().has("collation")) definition.add("collation", row.options["collation"]);
  })});
  auto made = std::make_shared<PartitionIndex>();
  TRY(made->spec, index.spec(row.options));
  TRY(made->table, store_.engine().create_table(Partition::index_table(segment, index.id), TableKind::kIndex));
  change.adopt(segment, std::move(made));
  return {};
}

Result<std::shared_ptr<const Collection>> Catalog::create(const Namespace& ns, bson::View options) {
  Change change(*this);
  if (const auto there = share()->share(ns.full())) {
    if (there->options.view() == options) return there;
    return error(Code::NamespaceExists, "Collection ", ns.full(), " already exists.");
  }
  if (share()->view(ns.full()) != nullptr) return error(Code::NamespaceExists, "A view already exists. NS: ", ns.full());
  CHECK_OK(share()->check_spelling(ns.db()));
  MetaRow meta = state_.meta();
  const PartitionId id{reserve_partitions(1)};
  meta.next_partition = next_partition_;
  const Uuid uuid = store_.random().uuid();
  // The table comes first: a row without its table must not be; a table without its row is swept up at the next start.
  CHECK_OK(store_.engine().create_table(Partition::records_table(Partition::own_segment(id)), TableKind::kRecords));
  CHECK_OK(table_made.hit());
  CollectionRow row;
  row.ns = ns.full();
  row.options = bson::Document(options);
  if (CappedLimits::of(options)) CHECK_OK(index_ids(row, Partition::own_segment(id), change));
  change.put(MetaRow::key(), meta.encode());
  change.put(CollectionRow::key(uuid), row.encode());
  change.put(PartitionRow::key(uuid, id), PartitionRow{}.encode());
  CHECK_OK(change.commit());
  return share()->share(ns.full());  // While the change keeps others away: a moment later it may have been dropped.
}

Result<std::shared_ptr<const Collection>> Catalog::get_or_create(const Namespace& ns) {
  while (true) {
    if (auto there = share()->share(ns.full())) return there;
    CHECK_OK(share()->check_no_view(ns));
    Result<std::shared_ptr<const Collection>> made = create(ns, bson::View());
    // Somebody else made it at the same moment, with options of their own.
    if (made.ok() || made.status().code() != Code::NamespaceExists) return made;
  }
}

Result<std::shared_ptr<const Collection>> Catalog::drop(const Namespace& ns, const Interrupt& interrupted) {
  std::shared_ptr<const Collection> dropped;
  {
    Change change(*this);
    TRY(dropped, change.find(ns, Change::Jobs::kAbort, interrupted));
    if (dropped == nullptr) return not_found(ns);
    change.exclude(*dropped);
    change.erase(*dropped);
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return dropped;
}

Status Catalog::drop_database(std::string_view db, const Interrupt& interrupted) {
  {
    Change change(*this);
    TRY(const auto collections, change.find_all(db, Change::Jobs::kAbort, interrupted));
    for (const auto& collection : collections) {
      change.exclude(*collection);
      change.erase(*collection);
    }
    for (const auto& [name, view] : *share()->views) {
      if (std::string_view(name).substr(0, name.find('.')) == db) change.erase(ViewRow::key(name));
    }
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return {};
}

Status Catalog::rename(const Namespace& from, const Namespace& to, bool drop_target, const Interrupt& interrupted) {
  {
    Change change(*this);
    TRY(const auto pair, change.find_both(from, to, interrupted));
    const auto& [source, target] = pair;
    const auto snapshot = share();
    if (snapshot->view(from.full()) != nullptr) return error(Code::CommandNotSupportedOnView, "cannot rename view: ", from.full());
    if (snapshot->view(to.full()) != nullptr) return error(Code::NamespaceExists, "a view already exists with that name: ", to.full());
    if (source == nullptr) return error(Code::NamespaceNotFound, "Source collection ", from.full(), " does not exist");
    if (target != nullptr) {
      if (!drop_target) return error(Code::NamespaceExists, "target namespace exists");
      change.exclude(*target);
      change.erase(*target);
    }
    CHECK_OK(share()->check_spelling(to.db()));
    change.exclude(*source);
    const CollectionRow& row = *state_.row(source->uuid);
    CollectionRow renamed = row.copy();
    renamed.ns = to.full();
    change.put(CollectionRow::key(source->uuid), renamed.encode());
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return {};
}

Status Catalog::found_cluster() {
  Change change(*this);
  MetaRow meta = state_.meta();
  meta.cluster = store_.object_ids().next();
  change.put(MetaRow::key(), meta.encode());
  return change.commit();
}

void Catalog::remove_later(const std::vector<TableId>& tables) {
  const std::lock_guard lock(dropped_mutex_);
  dropped_.insert(dropped_.end(), tables.begin(), tables.end());
}

void Catalog::retire(std::vector<TableId> tables, Time changed) {
  std::vector<Engine::Lease> readers = store_.engine().leases();
  const std::lock_guard lock(dropped_mutex_);
  retired_.push_back({std::move(tables), changed, std::move(readers)});
}

/// What nobody needs any more joins those that are dropped.
void Catalog::collect_retired() {
  // A moment that is pinned from now on is a later one.
  const Time pinned = store_.past_pins().lowest(~Time{0});
  const std::lock_guard lock(dropped_mutex_);
  std::erase_if(retired_, [&](Retired& one) {
    if (one.changed > store_.checkpointed() || one.changed > pinned || !Engine::have_ended(one.readers)) return false;
    dropped_.insert(dropped_.end(), one.tables.begin(), one.tables.end());
    return true;
  });
}

void Catalog::remove_dropped_tables() {
  collect_retired();
  std::list<TableId> candidates;
  {
    const std::lock_guard lock(dropped_mutex_);
    candidates.swap(dropped_);
  }
  if (candidates.empty()) return;
  store_.sync_log();  // Or a power cut could bring back a collection whose tables are gone.
  // A reader that still stands in a table keeps it; it is tried again the next time.
  std::erase_if(candidates, [&](TableId id) {
    const bool removed = store_.engine().drop_table(id).ok();
    table_removed.pass();
    return removed;
  });
  const std::lock_guard lock(dropped_mutex_);
  dropped_.splice(dropped_.end(), candidates);
}

}  // namespace partita::shards
