// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/storage_stats.h"
#include "commands/system_views.h"
#include "commands/version.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

struct DbStatsRequest {
  std::int64_t scale = 1;
  bool free_storage = false;
};
const Arguments<DbStatsRequest> kArguments{{"scale", &DbStatsRequest::scale},
                                           {"freeStorage", &DbStatsRequest::free_storage}};

struct Sum {
  std::int64_t collections = 0;
  std::int64_t views = 0;
  std::int64_t indexes = 0;
  shards::Growth growth;
  std::int64_t storage = 0;
  std::int64_t index = 0;
  std::int64_t storage_free = 0;
  std::int64_t index_free = 0;

  void add(const CollectionSizes& sizes) {
    ++collections;
    indexes += static_cast<std::int64_t>(sizes.indexes.size());
    growth += sizes.growth;
    storage += sizes.storage_bytes;
    index += sizes.index_bytes;
    storage_free += sizes.reusable_bytes;
    index_free += sizes.index_reusable_bytes;
  }
};

Result<Sum> sum_up(shards::Store& store, std::string_view db, CollectionSizes::Detail detail) {
  Sum sum;
  const auto snapshot = store.catalog().share();
  sum.views = static_cast<std::int64_t>(views_of(*snapshot, db).size());
  for (const auto& collection : snapshot->collections(db)) {
    TRY(const CollectionSizes sizes, CollectionSizes::of(store.engine(), *collection, detail));
    sum.add(sizes);
  }
  return sum;
}

void write(bson::Writer& reply, const Sum& sum, const DbStatsRequest& request) {
  const auto scaled = [&](std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(request.scale); };
  add_number(reply, "collections", sum.collections);
  add_number(reply, "views", sum.views);
  add_number(reply, "objects", sum.growth.documents);
  reply.add("avgObjSize", sum.growth.documents == 0 ? 0.0
                                                    : static_cast<double>(sum.growth.bytes) /
                                                          static_cast<double>(sum.growth.documents));
  reply.add("dataSize", scaled(sum.growth.bytes));
  reply.add("storageSize", scaled(sum.storage));
  if (request.free_storage) reply.add("freeStorageSize", scaled(sum.storage_free));
  add_number(reply, "indexes", sum.indexes);
  reply.add("indexSize", scaled(sum.index));
  if (request.free_storage) reply.add("indexFreeStorageSize", scaled(sum.index_free));
  reply.add("totalSize", scaled(sum.storage + sum.index));
  if (request.free_storage) reply.add("totalFreeStorageSize", scaled(sum.storage_free + sum.index_free));
  reply.add("scaleFactor", static_cast<double>(request.scale));
}

/// A database that is not there has whole zeros in mongod's answer.
void write_nothing(bson::Writer& reply, const DbStatsRequest& request) {
  for (const char* zero : {"collections", "views", "objects", "avgObjSize", "dataSize", "storageSize", "indexes",
                           "indexSize", "totalSize"}) {
    reply.add(zero, std::int32_t{0});
  }
  add_number(reply, "scaleFactor", request.scale);
}

void write_totals(bson::Writer& reply, const Sum& sum, const DbStatsRequest& request) {
  if (sum.collections + sum.views == 0) return write_nothing(reply, request);
  write(reply, sum, request);
}

/// The totals, and the same again under `raw` for the one shard that there is: clients of a router sum that up.
Status db_stats(Operation& op, bson::Writer& reply) {
  TRY(const DbStatsRequest request, kArguments.parse("dbStats", op.request()));
  CHECK_OK(parse_scale(request.scale).status());
  using Detail = CollectionSizes::Detail;
  TRY(const Sum sum, sum_up(op.server().store, op.db(), request.free_storage ? Detail::kReusable : Detail::kFiles));
  reply.add("db", op.db());
  {
    bson::Writer raw = reply.document("raw");
    bson::Writer shard = raw.document(kNodeName);
    shard.add("db", op.db());
    write_totals(shard, sum, request);
    shard.add("ok", 1.0);
  }
  write_totals(reply, sum, request);
  const FileSystem files = FileSystem::of(op.server().settings.storage.db_path);
  reply.add("fsUsedSize", static_cast<double>(files.used_bytes) / static_cast<double>(request.scale));
  reply.add("fsTotalSize", static_cast<double>(files.total_bytes) / static_cast<double>(request.scale));
  return {};
}

const Register kDbStats{{
    .name = "dbStats",
    .aliases = {"dbstats"},
    .help = "How large a database is: documents, bytes, files, indexes.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .run = db_stats,
}};

}  // namespace
}  // namespace partita::commands
