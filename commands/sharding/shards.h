// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"
#include "shards/catalog/collection.h"

/// What the commands that administer shards have in common. There is one shard: this server.
namespace partita::commands {

/// The namespace that a command on `admin` names in full.
Result<shards::Namespace> parse_full_name(const Operation& operation);
/// The collection of that name. NamespaceNotSharded where it is not sharded, or not there.
Result<std::shared_ptr<const shards::Collection>> find_sharded(Operation& operation, const shards::Namespace& ns);
/// ShardNotFound for any other name than that of the one shard.
Status check_shard(std::string_view name);

/// When a partition last changed, as MongoDB tells it: partitions are numbered in the order of their making.
bson::Timestamp chunk_version(const shards::PartitionSlot& slot);
/// The newest of them.
bson::Timestamp collection_version(const shards::Collection& collection);
/// When the collection was divided as it is now.
bson::Timestamp sharded_at(const shards::Collection& collection);
/// The bounds of a partition as documents.
struct ShownRange {
  bson::Document min;
  bson::Document max;
};
Result<ShownRange> shown_range(const shards::Collection& collection, const shards::PartitionSlot& slot);

}  // namespace partita::commands
