// SPDX-License-Identifier: GPL-3.0-or-later
//
// Dividing a collection by a key while it is empty: its old partition goes, and new ones come, in one change.
#include "shards/catalog/change.h"
#include "shards/catalog/new_partitions.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

/// Looking up documents by _id takes an index where records are not clustered by it.
Result<IndexRow> id_index(std::uint32_t id) {
  return IndexRow{id, bson::Document::build([](bson::Writer& definition) {
                    definition.add("v", 2);
                    definition.document("key").add("_id", 1);
                    definition.add("name", "_id_");
                  })};
}

Status check_again(const Collection& there, const Sharding& sharding) {
  const bool same = bson::equal(bson::Value::of(there.sharding->key.pattern()), bson::Value::of(sharding.key.pattern())) &&
                    there.sharding->unique == sharding.unique;
  if (same) return {};
  return error(Code::AlreadyInitialized, "sharding already enabled for collection ", there.ns.full(), " with options { key: ",
               bson::to_shell(there.sharding->key.pattern()), ", unique: ", there.sharding->unique ? "true" : "false", " }");
}

}  // namespace

std::uint32_t Catalog::reserve_partitions(std::size_t count) {
  const std::uint32_t first = std::max(state_.meta().next_partition, next_partition_);
  next_partition_ = first + static_cast<std::uint32_t>(count);
  return first;
}

Result<std::shared_ptr<const Collection>> Catalog::shard(const Namespace& ns, const Sharding& sharding,
                                                         const std::vector<std::string>& bounds, const Interrupt& interrupted) {
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
  if (there == nullptr) CHECK_OK(share()->check_spelling(ns.db()));
  CollectionRow row;
  if (there != nullptr) {
    change.exclude(*there);
    if (there->size().documents != 0) return error(Code::IllegalOperation, "the collection ", ns.full(), " is not empty");
    row = state_.row(there->uuid)->copy();
    for (const PartitionSlot& slot : there->partitions) change.erase(PartitionRow::key(there->uuid, slot.partition->id()));
  } else {
    row.ns = ns.full();
  }
  const Uuid uuid = there != nullptr ? there->uuid : store_.random().uuid();
  row.sharding = sharding.encode();
  if (!sharding.key.is_found_by_id()) {
    const std::uint32_t id = std::max(row.next_index, next_index_id_);
    row.next_index = next_index_id_ = id + 1;
    TRY(IndexRow index, id_index(id));
    row.indexes.push_back(std::move(index));
  }
  CHECK_OK(fresh.make_indexes(row.indexes));
  MetaRow meta = state_.meta();
  meta.next_partition = std::max(meta.next_partition, next_partition_);
  change.put(MetaRow::key(), meta.encode());
  change.put(CollectionRow::key(uuid), row.encode());
  fresh.add_to(change, uuid);
  CHECK_OK(change.commit());
  fresh.release();
  return share()->share(ns.full());
}

}  // namespace partita::shards
