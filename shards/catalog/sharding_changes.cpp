// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dividing a collection by a key. While it is empty its old partition goes, and new ones come, in one change.
#include <algorithm>

#include "shards/catalog/change.h"
#include "shards/catalog/copy_plan.h"
#include "shards/catalog/new_partitions.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

Status check_not_capped(const Collection& there) {
  if (!there.capped) return {};
  return error(Code::InvalidOptions, "can't shard a capped collection: ", there.ns.full());
}

bson::Document told(const Sharding& sharding, std::size_t partitions) {
  return bson::Document::build([&](bson::Writer& details) {
    details.add("shardKey", sharding.key.pattern());
    details.add("unique", sharding.unique);
    details.add("numChunks", static_cast<std::int32_t>(partitions));
  });
}

Status check_again(const Collection& there, const Sharding& sharding) {
  const bool divides = there.sharding->split_logical || !sharding.split_logical;
  const bool claims = there.sharding->unique_id || !sharding.unique_id;
  if (there.sharding->is(sharding) && divides && claims) return {};
  return error(Code::AlreadyInitialized, "sharding already enabled for collection ", there.ns.full(), " with options { key: ",
               bson::to_shell(there.sharding->key.pattern()), ", unique: ", there.sharding->unique ? "true" : "false",
               divides ? "" : ", splitLogicalPartitions: false", claims ? "" : ", uniqueId: false", " }");
}

IndexRow index_row(std::uint32_t id, bson::View key, std::string_view name, bool unique, const query::Collator* collation) {
  return {id, bson::Document::build([&](bson::Writer& definition) {
            definition.add("v", 2);
            definition.add("key", key);
            definition.add("name", name);
            if (unique) definition.add("unique", true);
            if (collation != nullptr) definition.add("collation", collation->spec());
          })};
}

bool is_on(const IndexRow& index, bson::View key) {
  return bson::equal(index.definition["key"], bson::Value::of(key));
}

/// An ordinary index that shows nothing which the records, in the order of the key, do not.
bool is_needless(const IndexRow& index, const Sharding& sharding) {
  return !sharding.key.has_hash() && is_on(index, sharding.key.pattern()) && index.definition.view().count() == 3;
}

/// The key begins with another one: then so does the order of the records.
bool extends(const Sharding* sharding, const Sharding& other) {
  return sharding != nullptr && sharding->key.extends(other.key);
}

/// What the user has chosen about the collection, but for its key, stays chosen.
Sharding carry_on(const Sharding* before, const Sharding& sharding, std::optional<bool> unique_id, Store& store) {
  Sharding next = sharding.copy();
  if (next.name.empty()) next.name = default_index_name(next.key.pattern());
  if (next.epoch == bson::ObjectId{}) next.epoch = store.object_ids().next();
  if (before != nullptr) {
    next.split_logical |= before->split_logical;
    next.no_balance |= before->no_balance;
    next.no_auto_merge |= before->no_auto_merge;
    next.allow_migrations &= before->allow_migrations;
    next.unique_id |= before->unique_id;
  }
  next.unique_id = unique_id.value_or(next.unique_id);
  next.claims.clear();
  // Where the _id alone leads to a document, there can be but one.
  if (!next.unique_id || next.key.is_found_by_id()) return next;
  next.claims = before != nullptr && !before->claims.empty() ? before->claims : claims_table(next.epoch);
  return next;
}

}  // namespace

Result<std::string> new_claims(const CollectionRow& row, const Sharding* before) {
  if (row.sharding.view().empty()) return std::string();
  TRY(Sharding sharding, Sharding::decode(row.sharding));
  if (before != nullptr && before->claims == sharding.claims) return std::string();
  return std::move(sharding.claims);
}

Status check_unique_indexes(const Collection& collection, const Sharding& sharding) {
  // Bounds within a key are shown as documents, and what an _id was, its sort key does not tell.
  if (sharding.divides_keys() && collection.collation != nullptr) {
    return error(Code::InvalidOptions, "splitLogicalPartitions cannot be chosen for ", collection.ns.full(), ", which has a collation");
  }
  for (const auto& index : collection.indexes) {
    if (sharding.check_unique(*index).ok()) continue;
    if (sharding.begins_with_key(*index)) {
      return error(Code::InvalidOptions, "splitLogicalPartitions cannot be chosen for ", collection.ns.full(), " with unique index on ",
                   bson::to_shell(index->definition["key"]), ": documents of one shard key would lie in several partitions, and only "
                   "an index with _id among its fields can be unique then");
    }
    return error(Code::InvalidOptions, "can't shard collection '", collection.ns.full(), "' with unique index on ",
                 bson::to_shell(index->definition["key"]), " and proposed shard key ", bson::to_shell(sharding.key.pattern()),
                 ". Uniqueness can't be maintained unless shard key is a prefix");
  }
  return {};
}

/// Its row when it will be divided in this way: the indexes that the user sees stay, whatever the records' own order.
CollectionRow Catalog::divided_by(const Collection& collection, const Sharding* sharding, std::optional<bool> unique_id) {
  const CollectionRow* there = state_.row(collection.uuid);
  CollectionRow row = there == nullptr ? CollectionRow() : there->copy();
  const bson::Document id_key = bson::Document::build([](bson::Writer& key) { key.add("_id", 1); });
  const auto add = [&](bson::View key, std::string_view name, bool unique, const query::Collator* collation = nullptr) {
    if (std::ranges::any_of(row.indexes, [&](const IndexRow& index) { return index.definition["name"].as_string() == name; })) return;
    const std::uint32_t id = std::max(row.next_index, next_index_id_);
    row.next_index = next_index_id_ = id + 1;
    row.indexes.push_back(index_row(id, key, name, unique, collation));
  };
  const Sharding* before = collection.sharding.get();
  const bool lost = before != nullptr && before->has_index() && !before->key.has_hash() && !extends(sharding, *before);
  if (lost) add(before->key.pattern(), before->name, false);
  std::optional<Sharding> next;
  if (sharding != nullptr) next = carry_on(before, *sharding, unique_id, store_);
  row.sharding = next ? next->encode() : bson::Document();
  const bool by_id = sharding == nullptr || sharding->key.is_found_by_id();
  std::erase_if(row.indexes, [&](const IndexRow& index) {
    return (by_id && is_on(index, id_key)) || (sharding != nullptr && is_needless(index, *sharding));
  });
  // Looking up documents by _id takes an index where records are not clustered by it.
  if (!by_id) add(id_key, "_id_", false, collection.collation.get());
  if (!by_id && sharding->unique) add(next->key.pattern(), next->name, true);
  return row;
}

Status Catalog::alter_sharding(const Namespace& ns, const std::function<void(Sharding&)>& alter, const Interrupt& interrupted) {
  Change change(*this);
  TRY(const auto there, change.find(ns, Change::Jobs::kAwait, interrupted));
  if (there == nullptr || there->sharding == nullptr) {
    return error(Code::NamespaceNotSharded, "Collection ", ns.full(), " is not sharded.");
  }
  Sharding sharding = there->sharding->copy();
  alter(sharding);
  CHECK_OK(check_unique_indexes(*there, sharding));
  CollectionRow row = state_.row(there->uuid)->copy();
  row.sharding = sharding.encode();
  if (row.sharding.view() == there->sharding->encode().view()) return {};
  change.exclude(*there);
  change.put(CollectionRow::key(there->uuid), row.encode());
  return change.commit();
}

std::vector<std::pair<std::uint64_t, EventRow>> Catalog::events() {
  const std::lock_guard lock(change_mutex_);
  std::vector<std::pair<std::uint64_t, EventRow>> events;
  for (const auto& [number, event] : state_.events()) {
    events.emplace_back(number, EventRow{event.time, event.what, event.ns, event.details.copy()});
  }
  return events;
}

std::uint32_t Catalog::reserve_partitions(std::size_t count) {
  const std::uint32_t first = std::max(state_.meta().next_partition, next_partition_);
  next_partition_ = first + static_cast<std::uint32_t>(count);
  return first;
}

Result<std::shared_ptr<const Collection>> Catalog::shard(const Namespace& ns, const Sharding& sharding,
                                                         const std::vector<std::string>& bounds, const Interrupt& interrupted,
                                                         BuildProgress* progress) {
  const auto there = share()->share(ns.full());
  const bool filled = there != nullptr && there->sharding == nullptr && there->size().documents != 0;
  if (!filled) {
    TRY(auto sharded, shard_empty(ns, sharding, bounds, interrupted));
    if (sharded != nullptr) return sharded;
  }
  const auto choose = [&](const Collection& now) -> Result<std::optional<Layout>> {
    if (now.sharding != nullptr) {
      CHECK_OK(check_again(now, sharding));
      return std::optional<Layout>();
    }
    CHECK_OK(check_not_capped(now));
    return std::optional<Layout>({sharding.share(), bounds});
  };
  return repartition(ns, choose, interrupted, progress);
}

/// Null when it is not empty.
Result<std::shared_ptr<const Collection>> Catalog::shard_empty(const Namespace& ns, const Sharding& sharding,
                                                               const std::vector<std::string>& bounds,
                                                               const Interrupt& interrupted) {
  // Tables take their time, and are made before anybody has to wait. Ids that come to nothing are not used again.
  std::uint32_t first = 0;
  {
    const std::lock_guard lock(change_mutex_);
    first = reserve_partitions(bounds.size() + 1);
  }
  NewPartitions fresh(store_, PartitionId{first}, bounds);
  CHECK_OK(fresh.make_tables());

  Change change(*this);
  TRY(const auto there, change.find(ns, Change::Jobs::kAwait, interrupted));
  if (there != nullptr && there->sharding != nullptr) {
    CHECK_OK(check_again(*there, sharding));
    return there;
  }
  if (there == nullptr) CHECK_OK(share()->check_no_view(ns));
  if (there == nullptr) CHECK_OK(share()->check_spelling(ns.db()));
  Collection missing;
  CollectionRow row;
  if (there != nullptr) {
    CHECK_OK(check_not_capped(*there));
    CHECK_OK(check_unique_indexes(*there, sharding));
    change.exclude(*there);
    if (there->size().documents != 0) return std::shared_ptr<const Collection>();
    row = divided_by(*there, &sharding);
    for (const PartitionSlot& slot : there->partitions) change.erase(PartitionRow::key(there->uuid, slot.partition->id()));
  } else {
    row = divided_by(missing, &sharding);
    row.ns = ns.full();
  }
  const Uuid uuid = there != nullptr ? there->uuid : store_.random().uuid();
  CHECK_OK(fresh.make_indexes(row.indexes));
  TRY(const std::string claims, new_claims(row, nullptr));
  if (!claims.empty()) CHECK_OK(fresh.make_claims(claims));
  MetaRow meta = state_.meta();
  meta.next_partition = std::max(meta.next_partition, next_partition_);
  change.put(MetaRow::key(), meta.encode());
  change.put(CollectionRow::key(uuid), row.encode());
  fresh.add_to(change, uuid);
  change.note("shardCollection.end", ns, told(sharding, bounds.size() + 1));
  CHECK_OK(change.commit());
  fresh.release();
  return share()->share(ns.full());
}

}  // namespace partita::shards
