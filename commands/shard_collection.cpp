// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/sharding/initial_bounds.h"
#include "commands/shown_build.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

struct ShardCollectionRequest {
  bson::View key;
  bool unique = false;
  std::optional<std::int64_t> chunks;
  bson::View collation;
  bson::Value timeseries;
  bool split_logical = false;
  bool unique_id = false;
};

const Arguments<ShardCollectionRequest> kArguments{
    {"key", &ShardCollectionRequest::key, Rule::kRequired},
    {"unique", &ShardCollectionRequest::unique},
    {"numInitialChunks", &ShardCollectionRequest::chunks},
    {"collation", &ShardCollectionRequest::collation},
    {"timeseries", &ShardCollectionRequest::timeseries},
    {"splitLogicalPartitions", &ShardCollectionRequest::split_logical},
    {"uniqueId", &ShardCollectionRequest::unique_id},
    {"presplitHashedZones", nullptr},            // There are no zones to split for.
    {"implicitlyCreateIndex", nullptr},          // The records themselves are the index.
    {"enforceUniquenessCheck", nullptr},         // The same.
};

Status check(const ShardCollectionRequest& request, const query::ShardKey& key) {
  if (request.unique && key.has_hash()) return error(Code::InvalidOptions, "Hashed shard keys cannot be declared unique.");
  if (request.unique && request.split_logical && !key.has_id()) {
    return error(Code::InvalidOptions, "shardCollection.splitLogicalPartitions cannot be chosen for a unique shard key: it has one "
                 "document for each key");
  }
  if (!request.timeseries.missing()) return error(Code::InvalidOptions, "shardCollection.timeseries is not supported");
  if (!request.collation.empty() && !(request.collation["locale"].is_string() && request.collation["locale"].as_string() == "simple")) {
    return error(Code::BadValue, "The collation for shardCollection must be {locale: 'simple'}, but found: ",
                 bson::to_shell(request.collation));
  }
  if (!request.chunks) return {};
  if (!key.has_hash()) {
    return error(Code::InvalidOptions, "numInitialChunks is only supported when the shard key is hashed.");
  }
  return check_initial_chunks(*request.chunks);
}

/// Partitions are divided by the bytes of texts, which who has a collation must know and say.
Status check_collation(const shards::Collection* there, bson::View given, const query::ShardKey& key) {
  if (there == nullptr || there->collation == nullptr) return {};
  if (given.empty()) {
    return error(Code::BadValue, "If no collation was specified, the collection collation must be {locale: 'simple'}, but found: ",
                 bson::to_shell(there->collation->spec()));
  }
  if (!key.is_found_by_id()) return {};
  return error(Code::InvalidOptions, "cannot shard ", there->ns.full(), " by _id: its ids are compared by the collection's collation, and "
               "a shard key by {locale: 'simple'}");
}

Result<shards::Namespace> parse_target(const Operation& operation) {
  if (operation.target().is_string()) return shards::Namespace::parse(operation.target().as_string());
  return wrong_type("shardCollection", "shardCollection", operation.target(), "string");
}

Status shard_collection(Operation& operation, bson::Writer& reply) {
  TRY(const ShardCollectionRequest request, kArguments.parse("shardCollection", operation.request()));
  TRY(const shards::Namespace ns, parse_target(operation));
  if (ns.is_system()) return error(Code::IllegalOperation, "can't shard system namespaces: ", ns.full());
  if (ns.db() == "config") return error(Code::IllegalOperation, "only special collections in the config db may be sharded: ", ns.full());
  if (ns.db() == "local") return error(Code::IllegalOperation, "can't shard a collection of the local database: ", ns.full());
  shards::Sharding sharding;
  TRY(sharding.key, query::ShardKey::parse(request.key));
  sharding.unique = request.unique;
  sharding.epoch = operation.server().store.object_ids().next();
  sharding.split_logical = request.split_logical;
  sharding.unique_id = request.unique_id;
  CHECK_OK(check(request, sharding.key));
  CHECK_OK(check_collation(operation.server().store.catalog().snapshot().find(ns.full()), request.collation, sharding.key));
  const auto go_on = [&] { return operation.check_killed(); };
  shards::BuildProgress progress{.work = shards::BuildProgress::Work::kPartitions};
  const ShownBuild shown(operation.client(), progress);
  shards::Store& store = operation.server().store;
  TRY(const auto bounds, initial_bounds(store, ns, sharding.key, request.chunks, go_on));
  CHECK_OK(store.catalog().shard(ns, sharding, bounds, go_on, &progress));
  reply.add("_t", "ShardCollectionResponse");
  reply.add("collectionsharded", ns.full());
  return {};
}

const Register kShardCollection{{
    .name = "shardCollection",
    .aliases = {"shardcollection"},
    .help = "Divides a collection into partitions by the values of a key.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = shard_collection,
}};

}  // namespace
}  // namespace partita::commands
