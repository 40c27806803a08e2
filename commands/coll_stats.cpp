// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/storage_stats.h"
#include "commands/version.h"

namespace partita::commands {
namespace {

struct CollStatsRequest {
  std::int64_t scale = 1;
};
const Arguments<CollStatsRequest> kArguments{
    {"scale", &CollStatsRequest::scale},
    {"verbose", nullptr},                     // Old storage engines' details.
    {"waitForLock", nullptr},                 // Nothing to wait for.
    {"numericOnly", nullptr},                 // A hint that texts may be left out.
};

void write_nothing(bson::Writer& reply, std::int64_t scale) {
  for (const char* zero : {"size", "count", "numOrphanDocs", "storageSize", "totalSize", "nindexes", "totalIndexSize"}) {
    reply.add(zero, std::int32_t{0});
  }
  reply.document("indexDetails").close();
  reply.document("indexSizes").close();
  reply.add("scaleFactor", static_cast<std::int32_t>(scale));
}

Status coll_stats(Operation& op, bson::Writer& reply) {
  TRY(const shards::Namespace ns, op.target_namespace(Code::InvalidNamespace));
  TRY(const CollStatsRequest request, kArguments.parse("collStats", op.request()));
  TRY(const std::int64_t scale, parse_scale(request.scale));
  const auto snapshot = op.server().store.catalog().share();
  const auto collection = snapshot->share(ns.full());
  reply.add("ns", ns.full());
  if (collection == nullptr) {
    write_nothing(reply, scale);
    return {};
  }
  TRY(const CollectionSizes sizes,
      CollectionSizes::of(op.server().store.engine(), *collection, CollectionSizes::Detail::kReusable));
  reply.add("sharded", collection->sharding != nullptr);
  if (collection->sharding == nullptr) reply.add("primary", kNodeName);
  write_collection_sizes(reply, *collection, sizes, scale);
  reply.document("indexDetails").close();
  reply.add("nchunks", static_cast<std::int32_t>(collection->partitions.size()));
  bson::Writer shards = reply.document("shards");
  bson::Writer shard = shards.document(kNodeName);
  shard.add("ns", ns.full());
  write_collection_sizes(shard, *collection, sizes, scale);
  return {};
}

const Register kCollStats{{
    .name = "collStats",
    .aliases = {"collstats"},
    .help = "How large a collection and its indexes are.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .run = coll_stats,
}};

}  // namespace
}  // namespace partita::commands
