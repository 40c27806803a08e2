// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/version.h"

namespace partita::commands {
namespace {

Status list_shards(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("listShards", operation.request()));
  const auto shards = config_view(operation.server(), shards::Namespace("config", "shards"));
  bson::ArrayWriter array = reply.array("shards");
  for (const bson::Document& shard : *shards) array.push(shard.view());
  return {};
}

Status get_shard_map(Operation& operation, bson::Writer& reply) {
  CHECK_OK(no_arguments("getShardMap", operation.request()));
  const std::string host = host_and_port(operation.server().settings.net.port);
  reply.document("map").add(kNodeName, host);
  reply.document("hosts").add(host, kNodeName);
  reply.document("connStrings").add(host, kNodeName);
  return {};
}

const Register kListShards{{
    .name = "listShards",
    .aliases = {"listshards"},
    .help = "The shards of the cluster: this server.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = list_shards,
}};

const Register kGetShardMap{{
    .name = "getShardMap",
    .help = "Which host serves which shard.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = get_shard_map,
}};

}  // namespace
}  // namespace partita::commands
