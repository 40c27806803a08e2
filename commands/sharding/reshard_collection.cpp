// SPDX-License-Identifier: GPL-3.0-or-later
//
// Another key for a sharded collection, or none any more. All of it is one copy of the collection beside its writers.
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/sharding/initial_bounds.h"
#include "commands/shown_build.h"
#include "commands/version.h"
#include "shards/store.h"
#include "wire/bson/compare.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using Layout = shards::Catalog::Layout;

Result<shards::Namespace> parse_target(const Operation& operation) {
  if (operation.target().is_string()) return shards::Namespace::parse(operation.target().as_string());
  return wrong_type(operation.name(), operation.name(), operation.target(), "string");
}

bool same(const query::ShardKey& a, const query::ShardKey& b) {
  return bson::equal(bson::Value::of(a.pattern()), bson::Value::of(b.pattern()));
}

Status repartition(Operation& operation, const shards::Namespace& ns, const shards::Catalog::ChooseLayout& choose) {
  const auto go_on = [&] { return operation.check_killed(); };
  shards::BuildProgress progress{.work = shards::BuildProgress::Work::kPartitions};
  const ShownBuild shown(operation.client(), progress);
  return operation.server().store.catalog().repartition(ns, choose, go_on, &progress).status();
}

struct ReshardRequest {
  bson::View key;
  bool unique = false;
  std::optional<std::int64_t> chunks;
  bson::View collation;
  bson::Value zones, distribution;
  bool force = false;
  std::optional<bool> unique_id;
};

const Arguments<ReshardRequest> kReshard{
    {"key", &ReshardRequest::key, Rule::kRequired},
    {"unique", &ReshardRequest::unique},
    {"numInitialChunks", &ReshardRequest::chunks},
    {"collation", &ReshardRequest::collation},
    {"zones", &ReshardRequest::zones},
    {"shardDistribution", &ReshardRequest::distribution},
    {"forceRedistribution", &ReshardRequest::force},
    {"uniqueId", &ReshardRequest::unique_id},
    {"reshardingUUID", nullptr},  // For joining an earlier sending: the second finds the key that it asks for.
};

Status check(const ReshardRequest& request) {
  if (request.unique) return error(Code::BadValue, "The unique field must be false");
  if (!request.collation.empty() && !(request.collation["locale"].is_string() && request.collation["locale"].as_string() == "simple")) {
    return error(Code::BadValue, "The collation for reshardCollection must be {locale: 'simple'}, but found: ",
                 bson::to_shell(request.collation));
  }
  const bool zoned = request.zones.is_array() && !request.zones.as_document().empty();
  if (zoned) return error(Code::BadValue, "reshardCollection.zones is not supported: there are no zones");
  if (!request.distribution.missing()) {
    return error(Code::InvalidOptions, "reshardCollection.shardDistribution is not supported: there is one shard");
  }
  return request.chunks ? check_initial_chunks(*request.chunks) : Status();
}

/// It has the key that it shall have, and every _id once if that is wanted.
bool is_as_asked(const shards::Collection& now, const query::ShardKey& key, const ReshardRequest& request) {
  const bool keeps_ids = request.unique_id.value_or(now.sharding->unique_id) == now.sharding->unique_id;
  return !request.force && keeps_ids && same(now.sharding->key, key);
}

Status reshard_collection(Operation& operation, bson::Writer&) {
  TRY(const ReshardRequest request, kReshard.parse("reshardCollection", operation.request()));
  TRY(const shards::Namespace ns, parse_target(operation));
  CHECK_OK(check(request));
  shards::Sharding sharding;
  TRY(sharding.key, query::ShardKey::parse(request.key));
  shards::Store& store = operation.server().store;
  const auto go_on = [&] { return operation.check_killed(); };
  const auto there = store.catalog().share()->share(ns.full());
  if (there == nullptr) return error(Code::NamespaceNotFound, "ns not found: ", ns.full());
  if (there->sharding == nullptr) {
    return error(Code::NamespaceNotSharded, "Namespace ", ns.full(), " must be sharded to perform a reshardCollection command");
  }
  std::vector<std::string> bounds;
  if (!is_as_asked(*there, sharding.key, request)) {
    const std::int64_t chunks = request.chunks.value_or(static_cast<std::int64_t>(there->partitions.size()));
    TRY(bounds, initial_bounds(store, ns, sharding.key, chunks, go_on));
  }
  const auto choose = [&](const shards::Collection& now) -> Result<std::optional<Layout>> {
    if (now.sharding == nullptr) {
      return error(Code::NamespaceNotSharded, "Namespace ", ns.full(), " must be sharded to perform a reshardCollection command");
    }
    if (is_as_asked(now, sharding.key, request)) return std::optional<Layout>();
    return std::optional<Layout>({sharding.share(), bounds, request.unique_id});
  };
  return repartition(operation, ns, choose);
}

struct UnshardRequest {
  std::optional<std::string_view> shard;
};
const Arguments<UnshardRequest> kUnshard{{"toShard", &UnshardRequest::shard}};

Status unshard_collection(Operation& operation, bson::Writer&) {
  TRY(const UnshardRequest request, kUnshard.parse("unshardCollection", operation.request()));
  TRY(const shards::Namespace ns, parse_target(operation));
  if (request.shard && *request.shard != kNodeName) return error(Code::ShardNotFound, "Shard ", *request.shard, " not found");
  const auto choose = [&](const shards::Collection& now) -> Result<std::optional<Layout>> {
    if (now.sharding == nullptr) {
      return error(Code::NamespaceNotSharded, "Namespace must be sharded to perform an unshardCollection command");
    }
    return std::optional<Layout>(std::in_place);
  };
  return repartition(operation, ns, choose);
}

struct RefineRequest {
  bson::View key;
};
const Arguments<RefineRequest> kRefine{{"key", &RefineRequest::key, Rule::kRequired}, {"enforceUniquenessCheck", nullptr}};

/// Where partitions end stays as it is, but for ends inside a logical partition, which has become several.
std::vector<std::string> kept_bounds(const shards::Collection& now) {
  std::vector<std::string> bounds;
  for (std::size_t i = 1; i < now.partitions.size(); ++i) {
    const std::string_view bound = now.sharding->key.logical_bound(now.partitions[i].min);
    if (bounds.empty() || bounds.back() != bound) bounds.emplace_back(bound);
  }
  return bounds;
}

Status refine_collection_shard_key(Operation& operation, bson::Writer&) {
  TRY(const RefineRequest request, kRefine.parse("refineCollectionShardKey", operation.request()));
  TRY(const shards::Namespace ns, parse_target(operation));
  shards::Sharding sharding;
  TRY(sharding.key, query::ShardKey::parse(request.key));
  const auto choose = [&](const shards::Collection& now) -> Result<std::optional<Layout>> {
    if (now.sharding == nullptr) {
      return error(Code::NamespaceNotSharded, "refineCollectionShardKey namespace ", ns.full(), " is not sharded");
    }
    if (same(now.sharding->key, sharding.key)) return std::optional<Layout>();
    if (!sharding.key.extends(now.sharding->key)) {
      return error(Code::InvalidOptions, "refineCollectionShardKey shard key ", bson::to_shell(request.key),
                   " does not extend the current shard key ", bson::to_shell(now.sharding->key.pattern()));
    }
    sharding.unique = now.sharding->unique;
    return std::optional<Layout>({sharding.share(), kept_bounds(now)});
  };
  return repartition(operation, ns, choose);
}

/// What is under way can be ended, or told to end its rounds; an ended one has left nothing.
Status end_reshard(Operation& operation, bson::Writer&) {
  CHECK_OK(no_arguments(operation.name(), operation.request()));
  TRY(const shards::Namespace ns, parse_target(operation));
  const bool abort = operation.name().starts_with("abort");
  shards::Catalog& catalog = operation.server().store.catalog();
  if (abort ? catalog.abort_copy(ns) : catalog.hurry_copy(ns)) return {};
  return error(Code::NoSuchReshardCollection, "Could not find resharding metadata for ", ns.full());
}

Status cleanup_reshard(Operation& operation, bson::Writer&) {
  CHECK_OK(no_arguments(operation.name(), operation.request()));
  return parse_target(operation).status();  // There never is anything to clean up.
}

const Register kReshardCollection{{
    .name = "reshardCollection",
    .help = "Divides a sharded collection by another key, while reading and writing go on.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = reshard_collection,
}};

const Register kUnshardCollection{{
    .name = "unshardCollection",
    .help = "Puts a sharded collection back into one partition, while reading and writing go on.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = unshard_collection,
}};

const Register kRefineCollectionShardKey{{
    .name = "refineCollectionShardKey",
    .help = "Adds fields to the end of a shard key.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = refine_collection_shard_key,
}};

const Register kAbortReshardCollection{{
    .name = "abortReshardCollection",
    .aliases = {"abortUnshardCollection", "abortMoveCollection"},
    .help = "Ends what shardCollection, reshardCollection and the like are doing; nothing has changed then.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = end_reshard,
}};

const Register kCommitReshardCollection{{
    .name = "commitReshardCollection",
    .help = "Has a reshardCollection under way keep writers out now, for as long as its last round takes.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = end_reshard,
}};

const Register kCleanupReshardCollection{{
    .name = "cleanupReshardCollection",
    .help = "Removes what an unfinished reshardCollection has left, which is nothing.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .run = cleanup_reshard,
}};

}  // namespace
}  // namespace partita::commands
