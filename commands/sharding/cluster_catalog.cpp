// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/server.h"
#include "commands/settings/parameters.h"
#include "commands/source_stages.h"
#include "commands/version.h"
#include "shards/balance/balancer.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

using Rows = std::vector<bson::Document>;

struct Wanted {
  bool shards = false;
  bool balancing = false;
};

Result<Wanted> parse(bson::Value specification) {
  if (!specification.is_document()) {
    return error(Code::FailedToParse, "$listClusterCatalog must take a nested object but found: ", specification.type_name());
  }
  Wanted wanted;
  for (const auto& [name, value] : specification.as_document()) {
    const bool known = name == "shards" || name == "balancingConfiguration";
    if (!known) return error(Code{40415}, "BSON field '$listClusterCatalog.", name, "' is an unknown field.");
    if (!value.is_bool()) {
      return error(Code::TypeMismatch, "BSON field '$listClusterCatalog.", name, "' is the wrong type '", value.type_name(), "', expected type 'bool'");
    }
    (name == "shards" ? wanted.shards : wanted.balancing) = value.as_bool();
  }
  return wanted;
}

void write_balancing(Server& server, const shards::Sharding& sharding, bson::Writer& row) {
  const bool merges = parameters::find("enableAutoMerge")->value().get().truthy();
  row.add("balancingEnabled", !sharding.no_balance && sharding.allow_migrations);
  {
    bson::Writer reason = row.document("balancingEnabledReason");
    reason.add("enableBalancing", !sharding.no_balance);
    reason.add("allowMigrations", sharding.allow_migrations);
  }
  row.add("autoMergingEnabled", merges && !sharding.no_auto_merge);
  row.add("chunkSize", static_cast<std::int64_t>(server.store.balancer().options().partition_bytes.load() >> 20));
}

bson::Document describe(Server& server, const shards::Collection& collection, const Wanted& wanted) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("ns", collection.ns.full());
    row.add("db", collection.ns.db());
    row.add("type", "collection");
    {
      bson::Writer index = row.document("idIndex");
      index.add("v", 2);
      index.document("key").add("_id", 1);
      index.add("name", "_id_");
    }
    row.add("options", collection.options.view());
    {
      bson::Writer info = row.document("info");
      info.add("readOnly", false);
      info.uuid("uuid", collection.uuid);
    }
    row.add("sharded", collection.sharding != nullptr);
    if (collection.sharding != nullptr) row.add("shardKey", collection.sharding->key.pattern());
    if (wanted.shards) row.array("shards").push(kNodeName);
    if (wanted.balancing && collection.sharding != nullptr) write_balancing(server, *collection.sharding, row);
  });
}

Result<Rows> cluster_catalog(Operation& operation, const shards::Namespace& ns, bson::Value specification) {
  if (operation.target().is_string()) {
    return error(Code::InvalidNamespace, "$listClusterCatalog must be run against a database with {aggregate: 1}, not a collection");
  }
  TRY(const Wanted wanted, parse(specification));
  Rows rows;
  for (const auto& collection : operation.server().store.catalog().share()->all()) {
    const bool asked = ns.db() == "admin" || collection->ns.db() == ns.db();
    if (asked) rows.push_back(describe(operation.server(), *collection, wanted));
  }
  return rows;
}

const RegisterSourceStage kClusterCatalog{{
    .name = "$listClusterCatalog",
    .help = "The collections of a database, of all databases if it is admin: their options, shard keys and shards.",
    .run = cluster_catalog,
}};

}  // namespace
}  // namespace partita::commands
