// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/sharding/shards.h"

namespace partita::commands {
namespace {

struct EnableShardingRequest {
  std::optional<std::string_view> primary_shard;
};
const Arguments<EnableShardingRequest> kArguments{{"primaryShard", &EnableShardingRequest::primary_shard}};

/// There is nothing to switch on: collections of every database can be sharded. What is asked for is checked all the same.
Status enable_sharding(Operation& operation, bson::Writer&) {
  TRY(const EnableShardingRequest request, kArguments.parse("enableSharding", operation.request()));
  if (!operation.target().is_string()) return wrong_type("enableSharding", "enableSharding", operation.target(), "string");
  const std::string_view db = operation.target().as_string();
  CHECK_OK(shards::check_database_name(db));
  if (db == "admin" || db == "config" || db == "local") {
    return error(Code::InvalidOptions, "Cannot manually create database '", db, "'");
  }
  return request.primary_shard ? check_shard(*request.primary_shard) : Status();
}

const Register kEnableSharding{{
    .name = "enableSharding",
    .aliases = {"enablesharding"},
    .help = "Lets collections of a database be sharded; here all of them always can.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .takes_write_concern = true,
    .run = enable_sharding,
}};

}  // namespace
}  // namespace partita::commands
