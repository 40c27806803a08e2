// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/catalog.h"

#include <algorithm>

#include "shards/indexes/build.h"
#include "shards/indexes/entries.h"
#include "shards/log/write_unit.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "wire/bson/json.h"

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
FailPoint before_record{"catalogBeforeRecord", "All is ready for a change of the catalog, nothing of it is written."};
FailPoint record_committed{"catalogRecordCommitted", "A change of the catalog is in the log and nobody has seen it."};
FailPoint published{"catalogPublished", "A change of the catalog is visible; tables that it dropped are still there."};
FailPoint table_removed{"catalogTableRemoved", "One table of those dropped has been removed."};

Status not_found(const Namespace& ns) { return error(Code::NamespaceNotFound, "ns not found: ", ns.full()); }

}  // namespace

/// One change on its way: rows are gathered, committed as one record of log 0, and only then shown to the state machine
/// and to readers. Writers of the collections named with exclude() are kept out until the change is published or given
/// up.
class Catalog::Change {
 public:
  explicit Change(Catalog& catalog) : catalog_(catalog), lock_(catalog.change_mutex_) {}
  ~Change() {
    for (Partition* partition : excluded_) partition->gate().open(partition->gate().version());
  }

  void exclude(const Collection& collection) {
    for (const PartitionSlot& slot : collection.partitions) {
      slot.partition->gate().close();
      excluded_.push_back(slot.partition.get());
      kept_.push_back(slot.partition);
    }
  }
  void put(std::string key, bson::Document row) { rows_.push_back({std::move(key), std::move(row)}); }
  void erase(std::string key) { rows_.push_back({std::move(key), std::nullopt}); }
  void adopt(PartitionId partition, std::shared_ptr<PartitionIndex> index) {
    adopted_.push_back({partition, std::move(index)});
  }

  Status commit() {
    CHECK_OK(before_record.hit());
    CHECK_OK(write());
    record_committed.pass();
    for (const Row& row : rows_) {
      CHECK_OK(row.document ? catalog_.state_.put(bytes_of(row.key), row.document->view())
                            : catalog_.state_.erase(bytes_of(row.key)));
    }
    for (const auto& [partition, index] : adopted_) catalog_.state_.adopt(partition, index);
    return publish();
  }

 private:
  struct Row {
    std::string key;
    std::optional<bson::Document> document;
  };

  Status write() {
    TRY(const SessionLease session, SessionLease::take(catalog_.store_.engine()));
    WriteUnit unit(catalog_.store_, *session);
    CHECK_OK(unit.begin(RecordKind::kCatalog, kCatalogLog));
    for (const Row& row : rows_) {
      CHECK_OK(row.document ? unit.put_catalog_row(row.key, row.document->view()) : unit.erase_catalog_row(row.key));
    }
    CHECK_OK(unit.commit());
    return {};
  }

  Status publish() {
    const std::uint64_t version = catalog_.version() + 1;
    CHECK_OK(catalog_.publish_locked());
    for (Partition* partition : excluded_) partition->gate().open(version);
    excluded_.clear();
    published.pass();
    return {};
  }

  Catalog& catalog_;
  std::lock_guard<std::mutex> lock_;
  std::vector<Row> rows_;
  std::vector<Partition*> excluded_;
  std::vector<std::shared_ptr<Partition>> kept_;
  std::vector<std::pair<PartitionId, std::shared_ptr<PartitionIndex>>> adopted_;
};

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

Status Catalog::publish_locked() {
  TRY(CatalogState::Changes changes, state_.settle());
  assert(changes.unfilled.empty() && "live changes fill their indexes before they commit");
  const std::uint64_t version = this->version() + 1;
  std::shared_ptr<const CatalogSnapshot> next = state_.publish(version);
  for (const auto& collection : next->all()) {
    if (collection->version != version) continue;
    for (const PartitionSlot& slot : collection->partitions) slot.partition->gate().set_version(version);
  }
  {
    const std::lock_guard lock(snapshot_mutex_);
    snapshot_ = std::move(next);
  }
  version_.store(version, std::memory_order_release);
  remove_later(changes.dropped);
  return {};
}

Result<std::shared_ptr<const Collection>> Catalog::create(const Namespace& ns, bson::View options) {
  {
    Change change(*this);
    if (const auto there = share()->share(ns.full())) {
      if (there->options.view() == options) return there;
      return error(Code::NamespaceExists, "Collection ", ns.full(), " already exists.");
    }
    CHECK_OK(share()->check_spelling(ns.db()));
    MetaRow meta = state_.meta();
    const PartitionId id{meta.next_partition++};
    const Uuid uuid = store_.random().uuid();
    // The table comes first: a row without its table must not be; a table without its row is swept up at the next start.
    CHECK_OK(store_.engine().create_table(Partition::records_table(id), TableKind::kRecords));
    CHECK_OK(table_made.hit());
    CollectionRow row;
    row.ns = ns.full();
    row.options = bson::Document(options);
    change.put(MetaRow::key(), meta.encode());
    change.put(CollectionRow::key(uuid), row.encode());
    change.put(PartitionRow::key(uuid, id), PartitionRow{}.encode());
    CHECK_OK(change.commit());
  }
  return share()->share(ns.full());
}

Result<std::shared_ptr<const Collection>> Catalog::get_or_create(const Namespace& ns) {
  if (auto there = share()->share(ns.full())) return there;
  Result<std::shared_ptr<const Collection>> made = create(ns, bson::View());
  // Somebody else made it at the same moment, with options of their own.
  if (!made.ok() && made.status().code() == Code::NamespaceExists) return share()->share(ns.full());
  return made;
}

Status Catalog::erase_rows(Change& change, const Collection& collection) {
  change.exclude(collection);
  change.erase(CollectionRow::key(collection.uuid));
  for (const PartitionSlot& slot : collection.partitions) {
    change.erase(PartitionRow::key(collection.uuid, slot.partition->id()));
  }
  return {};
}

Result<std::shared_ptr<const Collection>> Catalog::drop(const Namespace& ns) {
  std::shared_ptr<const Collection> dropped;
  {
    Change change(*this);
    dropped = share()->share(ns.full());
    if (dropped == nullptr) return not_found(ns);
    CHECK_OK(erase_rows(change, *dropped));
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return dropped;
}

Status Catalog::drop_database(std::string_view db) {
  {
    Change change(*this);
    for (const auto& collection : share()->collections(db)) CHECK_OK(erase_rows(change, *collection));
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return {};
}

Status Catalog::rename(const Namespace& from, const Namespace& to, bool drop_target) {
  {
    Change change(*this);
    const auto snapshot = share();
    const auto source = snapshot->share(from.full());
    if (source == nullptr) return error(Code::NamespaceNotFound, "Source collection ", from.full(), " does not exist");
    if (const auto target = snapshot->share(to.full())) {
      if (!drop_target) return error(Code::NamespaceExists, "target namespace exists");
      CHECK_OK(erase_rows(change, *target));
    }
    CHECK_OK(snapshot->check_spelling(to.db()));
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

Result<Catalog::IndexCounts> Catalog::create_indexes(const Namespace& ns, const std::vector<bson::View>& definitions) {
  IndexCounts counts;
  std::vector<IndexSpec> wanted;
  for (const bson::View definition : definitions) {
    TRY(IndexSpec spec, IndexSpec::parse(definition));
    wanted.push_back(std::move(spec));
  }
  counts.created_collection = share()->find(ns.full()) == nullptr;
  CHECK_OK(get_or_create(ns));

  Change change(*this);
  const auto collection = share()->share(ns.full());
  if (collection == nullptr) return not_found(ns);
  counts.before = collection->indexes.size() + 1;
  counts.after = counts.before;
  CollectionRow row = state_.row(collection->uuid)->copy();
  std::vector<std::shared_ptr<const IndexSpec>> fresh;
  for (IndexSpec& spec : wanted) {
    TRY(const bool there, is_defined(*collection, fresh, spec));
    if (there) continue;
    spec.id = std::max(row.next_index, next_index_id_);
    row.next_index = next_index_id_ = spec.id + 1;
    row.indexes.push_back({spec.id, spec.definition.copy()});
    fresh.push_back(std::make_shared<const IndexSpec>(std::move(spec)));
  }
  if (fresh.empty()) return counts;
  if (counts.before + fresh.size() > kMaxIndexes) {
    return error(Code::CannotCreateIndex, "add index fails, too many indexes for ", ns.full(), " key:",
                 bson::to_shell(fresh.back()->definition["key"].as_document()));
  }
  change.exclude(*collection);
  for (const auto& spec : fresh) {
    for (const PartitionSlot& slot : collection->partitions) {
      auto index = build_index(store_.engine(), *slot.partition, spec);
      if (!index.ok() && index.status().code() == Code::DuplicateKey) return duplicate_key(ns.full(), index.status());
      CHECK_OK(index.status());
      change.adopt(slot.partition->id(), *index);
    }
  }
  change.put(CollectionRow::key(collection->uuid), row.encode());
  CHECK_OK(change.commit());
  counts.after = counts.before + fresh.size();
  return counts;
}

Result<bool> Catalog::is_defined(const Collection& collection,
                                 const std::vector<std::shared_ptr<const IndexSpec>>& fresh, const IndexSpec& wanted) {
  const bson::View key = wanted.definition["key"].as_document();
  if (wanted.is_id_key()) return true;
  const auto check = [&](const IndexSpec& there) -> Result<bool> {
    const bool same_key = there.definition["key"].as_document() == key;
    const bool same_name = there.name == wanted.name;
    if (!same_key && !same_name) return false;
    const bool same_options = there.unique == wanted.unique && there.sparse == wanted.sparse;
    if (same_key && same_name && same_options) return true;
    if (same_key && same_options) {
      return error(Code::IndexOptionsConflict, "Index already exists with a different name: ", there.name);
    }
    const std::string texts = partita::detail::join("Requested index: ", bson::to_shell(wanted.definition),
                                           ", existing index: ", bson::to_shell(there.definition));
    if (same_name) {
      return error(Code::IndexKeySpecsConflict,
                   "An existing index has the same name as the requested index. When index names are not specified, "
                   "they are auto generated and can cause conflicts. Please refer to our documentation. ", texts);
    }
    return error(Code::IndexOptionsConflict, "An equivalent index already exists with the same name but different options. ", texts);
  };
  for (const auto& spec : collection.indexes) {
    TRY(const bool there, check(*spec));
    if (there) return true;
  }
  for (const auto& spec : fresh) {
    TRY(const bool there, check(*spec));
    if (there) return true;
  }
  return false;
}

Result<std::size_t> Catalog::drop_indexes(const Namespace& ns, const std::function<bool(const IndexSpec&)>& which) {
  std::size_t before = 0;
  {
    Change change(*this);
    const auto collection = share()->share(ns.full());
    if (collection == nullptr) return not_found(ns);
    before = collection->indexes.size() + 1;
    CollectionRow row = state_.row(collection->uuid)->copy();
    std::erase_if(row.indexes, [&](const IndexRow& index) {
      return std::ranges::any_of(collection->indexes,
                                 [&](const auto& spec) { return spec->id == index.id && which(*spec); });
    });
    if (row.indexes.size() + 1 == before) return before;
    change.exclude(*collection);
    change.put(CollectionRow::key(collection->uuid), row.encode());
    CHECK_OK(change.commit());
  }
  remove_dropped_tables();
  return before;
}

Status Catalog::found_cluster() {
  Change change(*this);
  MetaRow meta = state_.meta();
  meta.cluster = store_.object_ids().next();
  change.put(MetaRow::key(), meta.encode());
  return change.commit();
}

bson::ObjectId Catalog::cluster_id() const {
  const std::lock_guard lock(change_mutex_);
  return state_.meta().cluster;
}

void Catalog::remove_later(const std::vector<TableId>& tables) {
  const std::lock_guard lock(dropped_mutex_);
  dropped_.insert(dropped_.end(), tables.begin(), tables.end());
}

void Catalog::remove_dropped_tables() {
  std::list<TableId> candidates;
  {
    const std::lock_guard lock(dropped_mutex_);
    candidates.swap(dropped_);
  }
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
