// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/server.h"
#include "commands/system_views.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct NoArguments {};
const Arguments<NoArguments> kNoArguments{};

/// With it go the views that it is made of.
Status drop_all_views(Operation& operation, const shards::Namespace& ns, bson::Writer& reply) {
  const std::vector<shards::Namespace> views = views_of(*operation.server().store.catalog().share(), ns.db());
  for (const shards::Namespace& view : views) CHECK_OK(operation.server().store.catalog().drop_view(view).status());
  if (views.empty()) return {};
  reply.add("nIndexesWas", 1);
  reply.add("ns", ns.full());
  return {};
}

Status drop(Operation& operation, bson::Writer& reply) {
  CHECK_OK(kNoArguments.parse("drop", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.collection() == Profiler::kCollection && operation.server().profiler.settings(ns.db()).level > 0) {
    return error(Code::IllegalOperation, "turn off profiling before dropping system.profile collection");
  }
  if (ns.collection() == kSystemViews) return drop_all_views(operation, ns, reply);
  CHECK_OK(check_no_config_view(ns));
  TRY(const bool was_view, operation.server().store.catalog().drop_view(ns));
  if (was_view) {
    reply.add("ns", ns.full());
    return {};
  }
  const auto go_on = [&] { return operation.check_interrupt(); };
  const auto dropped = operation.server().store.catalog().drop(ns, go_on);
  // Dropping what is not there is no error since MongoDB 7.
  if (!dropped.ok() && dropped.status().code() == Code::NamespaceNotFound) return {};
  CHECK_OK(dropped.status());
  reply.add("nIndexesWas", static_cast<std::int32_t>((*dropped)->index_count()));
  reply.add("ns", ns.full());
  return {};
}

Status drop_database(Operation& operation, bson::Writer& reply) {
  CHECK_OK(kNoArguments.parse("dropDatabase", operation.request()));
  if (operation.target().exact_int64() != 1) return error(Code{5255100}, "Have to pass 1 as 'dropDatabase' parameter");
  if (operation.db() == "admin" || operation.db() == "config") {
    return error(Code::IllegalOperation, "Dropping the '", operation.db(), "' database is prohibited.");
  }
  const auto go_on = [&] { return operation.check_interrupt(); };
  CHECK_OK(operation.server().store.catalog().drop_database(operation.db(), go_on));
  operation.server().profiler.forget(operation.db());
  reply.add("dropped", operation.db());
  return {};
}

const Register kDrop{{
    .name = "drop",
    .help = "Removes a collection with its documents and indexes.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .target = Target::kCollection,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = drop,
}};

const Register kDropDatabase{{
    .name = "dropDatabase",
    .help = "Removes all collections of a database.",
    .where = Where::kWorker,
    .rights = Rights::kDatabaseAdmin,
    .takes_write_concern = true,
    .stable_api = true,
    .run = drop_database,
}};

}  // namespace
}  // namespace partita::commands
