// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/sharding/shards.h"
#include "commands/version.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// As many chunks as that fit into any reply.
constexpr std::size_t kMostShown = 20'000;

struct ShardVersionRequest {
  bool full_metadata = false;
};
const Arguments<ShardVersionRequest> kArguments{{"fullMetadata", &ShardVersionRequest::full_metadata}};

/// Of a database: where it lives.
Status database_version(std::string_view db, bson::Writer& reply) {
  CHECK_OK(shards::check_database_name(db));
  reply.add("primaryShard", kNodeName);
  reply.document("version").add("lastMod", std::int32_t{1});
  return {};
}

Status write_chunks(const shards::Collection& collection, bson::Writer& reply) {
  if (collection.partitions.size() > kMostShown) {
    reply.add("exceededSize", true);
    return {};
  }
  bson::ArrayWriter chunks = reply.array("chunks");
  for (const shards::PartitionSlot& slot : collection.partitions) {
    TRY(const ShownRange range, shown_range(collection, slot));
    bson::ArrayWriter chunk = chunks.array();
    chunk.push(range.min.view());
    chunk.push(range.max.view());
  }
  return {};
}

Status get_shard_version(Operation& operation, bson::Writer& reply) {
  TRY(const ShardVersionRequest request, kArguments.parse("getShardVersion", operation.request()));
  const bson::Value name = operation.target();
  if (!name.is_string()) return error(Code::BadValue, "namespace has invalid type ", name.type_name());
  if (name.as_string().find('.') == std::string_view::npos) return database_version(name.as_string(), reply);
  TRY(const shards::Namespace ns, parse_full_name(operation));
  TRY(const auto collection, find_sharded(operation, ns));
  reply.add("version", collection_version(*collection));
  reply.add("versionEpoch", collection->sharding->epoch);
  reply.add("versionTimestamp", sharded_at(*collection));
  return request.full_metadata ? write_chunks(*collection, reply) : Status();
}

/// What routers cache is what this server has: there is nothing to forget.
Status flush_router_config(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("flushRouterConfig", operation.request()));
  const bson::Value what = operation.target();
  if (what.is_string()) CHECK_OK(shards::check_database_name(what.as_string().substr(0, what.as_string().find('.'))));
  reply.add("flushed", true);
  return {};
}

const Register kGetShardVersion{{
    .name = "getShardVersion",
    .aliases = {"getshardversion"},
    .help = "The version of a sharded collection's map of partitions.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = get_shard_version,
}};

const Register kFlushRouterConfig{{
    .name = "flushRouterConfig",
    .aliases = {"flushrouterconfig"},
    .help = "Makes a router forget what it knows of collections; every statement here has the newest map.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = flush_router_config,
}};

}  // namespace
}  // namespace partita::commands
