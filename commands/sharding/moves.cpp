// SPDX-License-Identifier: GPL-3.0-or-later
//
// What moves data between shards. There is one: a move to where the data is succeeds at once, as a router's does, and any
// other destination is not there.
#include "commands/arguments.h"
#include "commands/server.h"
#include "commands/sharding/shards.h"
#include "shards/store.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

struct MoveChunkRequest {
  bson::Value to, find, bounds;
};
const Arguments<MoveChunkRequest> kMoveChunk{
    {"to", &MoveChunkRequest::to},
    {"find", &MoveChunkRequest::find},
    {"bounds", &MoveChunkRequest::bounds},
    {"maxChunkSizeBytes", nullptr},   // How a move would be carried out: none is.
    {"forceJumbo", nullptr},
    {"secondaryThrottle", nullptr},
    {"_secondaryThrottle", nullptr},
    {"waitForDelete", nullptr},
    {"_waitForDelete", nullptr},
};

Status check_bounds(const query::ShardKey& key, bson::Value bounds) {
  if (!bounds.is_array()) return wrong_type("moveChunk", "bounds", bounds, "array");
  for (const auto& [name, bound] : bounds.as_document()) {
    if (!bound.is_document()) return wrong_type("moveChunk", "bounds", bound, "object");
    CHECK_OK(key.parse_bound(bound.as_document()).status());
  }
  if (bounds.as_document().count() == 2) return {};
  return error(Code::InvalidOptions, "bounds must be two: where a chunk begins and where it ends");
}

Status check_find(const query::ShardKey& key, bson::Value find) {
  if (!find.is_document()) return wrong_type("moveChunk", "find", find, "object");
  for (const auto& field : key.fields()) {
    if (find.as_document().at_path(field.path.text()).missing() && find.as_document()[field.path.text()].missing()) {
      return error(Code::OperationFailed, "no shard key found in chunk query ", bson::to_shell(find));
    }
  }
  return {};
}

Status move_chunk(Operation& operation, bson::Writer& reply) {
  TRY(const MoveChunkRequest request, kMoveChunk.parse("moveChunk", operation.request()));
  TRY(const shards::Namespace ns, parse_full_name(operation));
  TRY(const auto collection, find_sharded(operation, ns));
  if (!request.to.is_string()) return error(Code::TypeMismatch, "'to' must be of type String");
  CHECK_OK(check_shard(request.to.as_string()));
  if (request.find.missing() == request.bounds.missing()) {
    return error(Code::InvalidOptions, "need to specify either a find query, or both lower and upper bounds.");
  }
  const query::ShardKey& key = collection->sharding->key;
  CHECK_OK(request.find.missing() ? check_bounds(key, request.bounds) : check_find(key, request.find));
  reply.add("millis", std::int64_t{0});
  return {};
}

struct MoveRangeRequest {
  std::string_view to_shard;
  bson::View min, max;
};
const Arguments<MoveRangeRequest> kMoveRange{
    {"toShard", &MoveRangeRequest::to_shard, Rule::kRequired},
    {"min", &MoveRangeRequest::min},
    {"max", &MoveRangeRequest::max},
    {"waitForDelete", nullptr},  // Nothing is left behind that would have to go.
    {"forceJumbo", nullptr},
    {"secondaryThrottle", nullptr},
};

Status move_range(Operation& operation, bson::Writer&) {
  TRY(const MoveRangeRequest request, kMoveRange.parse("moveRange", operation.request()));
  TRY(const shards::Namespace ns, parse_full_name(operation));
  TRY(const auto collection, find_sharded(operation, ns));
  CHECK_OK(check_shard(request.to_shard));
  if (request.min.empty() && request.max.empty()) {
    return error(Code::InvalidOptions, "moveRange needs 'min', 'max' or both");
  }
  for (const bson::View bound : {request.min, request.max}) {
    if (!bound.empty()) CHECK_OK(collection->sharding->key.parse_bound(bound).status());
  }
  return {};
}

struct MoveCollectionRequest {
  std::string_view to_shard;
};
const Arguments<MoveCollectionRequest> kMoveCollection{{"toShard", &MoveCollectionRequest::to_shard, Rule::kRequired}};

Status move_collection(Operation& operation, bson::Writer&) {
  TRY(const MoveCollectionRequest request, kMoveCollection.parse("moveCollection", operation.request()));
  TRY(const shards::Namespace ns, parse_full_name(operation));
  const shards::Collection* collection = operation.server().store.catalog().snapshot().find(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "Namespace ", ns.full(), " does not exist");
  if (collection->sharding != nullptr) return error(Code::IllegalOperation, "moveCollection cannot move what is sharded: ", ns.full());
  return check_shard(request.to_shard);
}

struct MovePrimaryRequest {
  std::string_view to;
};
const Arguments<MovePrimaryRequest> kMovePrimary{{"to", &MovePrimaryRequest::to, Rule::kRequired}};

Status move_primary(Operation& operation, bson::Writer&) {
  TRY(const MovePrimaryRequest request, kMovePrimary.parse("movePrimary", operation.request()));
  if (!operation.target().is_string()) return wrong_type("movePrimary", "movePrimary", operation.target(), "string");
  const std::string_view db = operation.target().as_string();
  CHECK_OK(shards::check_database_name(db));
  if (db == "admin" || db == "config" || db == "local") {
    return error(Code::InvalidOptions, "Can't move primary for ", db, " database");
  }
  return check_shard(request.to);
}

struct AllowMigrationsRequest {
  bool allow = false;
};
const Arguments<AllowMigrationsRequest> kAllowMigrations{
    {"allowMigrations", &AllowMigrationsRequest::allow, Rule::kRequired}};

Status set_allow_migrations(Operation& operation, bson::Writer&) {
  TRY(const AllowMigrationsRequest request, kAllowMigrations.parse("setAllowMigrations", operation.request()));
  TRY(const shards::Namespace ns, parse_full_name(operation));
  const auto alter = [&](shards::Sharding& sharding) { sharding.allow_migrations = request.allow; };
  return operation.server().store.catalog().alter_sharding(ns, alter, [&] { return operation.check_interrupt(); });
}

const Register kMoveChunkCommand{{
    .name = "moveChunk",
    .aliases = {"movechunk"},
    .help = "Moves a partition to a shard; there is one, where it is already.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = move_chunk,
}};

const Register kMoveRangeCommand{{
    .name = "moveRange",
    .help = "Moves a range of shard keys to a shard; there is one, where it is already.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = move_range,
}};

const Register kMoveCollectionCommand{{
    .name = "moveCollection",
    .help = "Moves a collection that is not sharded to a shard; there is one, where it is already.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = move_collection,
}};

const Register kMovePrimaryCommand{{
    .name = "movePrimary",
    .aliases = {"moveprimary"},
    .help = "Moves what is not sharded of a database to a shard; there is one, where it is already.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = move_primary,
}};

const Register kSetAllowMigrationsCommand{{
    .name = "setAllowMigrations",
    .help = "Whether partitions of a collection may be moved to other shards; kept and shown, for there are none.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = set_allow_migrations,
}};

}  // namespace
}  // namespace partita::commands
