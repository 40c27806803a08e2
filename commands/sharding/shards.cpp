// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/sharding/shards.h"

#include "commands/server.h"
#include "commands/version.h"
#include "shards/store.h"

namespace partita::commands {

Result<shards::Namespace> parse_full_name(const Operation& operation) {
  const bson::Value name = operation.target();
  if (name.is_string()) return shards::Namespace::parse(name.as_string());
  return error(Code::BadValue, "collection name has invalid type ", name.type_name());
}

Result<std::shared_ptr<const shards::Collection>> find_sharded(Operation& operation, const shards::Namespace& ns) {
  auto collection = operation.server().store.catalog().share()->share(ns.full());
  if (collection != nullptr && collection->sharding != nullptr) return collection;
  return error(Code::NamespaceNotSharded, "Collection ", ns.full(), " is not sharded.");
}

Status check_shard(std::string_view name) {
  if (name == kNodeName) return {};
  return error(Code::ShardNotFound, "Shard ", name, " does not exist; the only one is ", kNodeName);
}

bson::Timestamp chunk_version(const shards::PartitionSlot& slot) {
  return {1, static_cast<std::uint32_t>(slot.partition->id())};
}

bson::Timestamp collection_version(const shards::Collection& collection) {
  bson::Timestamp newest;
  for (const shards::PartitionSlot& slot : collection.partitions) newest = std::max(newest, chunk_version(slot));
  return newest;
}

bson::Timestamp sharded_at(const shards::Collection& collection) {
  std::uint32_t seconds = 0;
  for (std::size_t i = 0; i < 4; ++i) seconds = seconds << 8 | collection.sharding->epoch.bytes[i];
  return {seconds, 1};
}

Result<ShownRange> shown_range(const shards::Collection& collection, const shards::PartitionSlot& slot) {
  ShownRange range;
  const query::ShardKey& key = collection.sharding->key;
  TRY(range.min, key.bound(shards::bytes_of(slot.min), bson::Type::kMinKey));
  // A bound that says something of the first fields alone ends where the rest has its least value; no bound is the end of
  // everything.
  const bson::Type rest = slot.max.empty() ? bson::Type::kMaxKey : bson::Type::kMinKey;
  TRY(range.max, key.bound(shards::bytes_of(slot.max), rest));
  return range;
}

}  // namespace partita::commands
