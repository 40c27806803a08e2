// SPDX-License-Identifier: GPL-3.0-or-later
#include <map>

#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/server.h"
#include "commands/storage_stats.h"
#include "query/match/matcher.h"

namespace partita::commands {
namespace {

struct ListDatabasesRequest {
  bson::View filter;
  bool name_only = false;
};
const Arguments<ListDatabasesRequest> kArguments{
    {"filter", &ListDatabasesRequest::filter},
    {"nameOnly", &ListDatabasesRequest::name_only},
    {"authorizedDatabases", nullptr},  // Everybody may see all of them as long as there are no users.
};

/// Names with the bytes that their files take. "config" is there although it has no files.
Result<std::map<std::string, std::int64_t>> measure(shards::Store& store) {
  std::map<std::string, std::int64_t> databases{{std::string(kConfigDatabase), 0}};
  const auto snapshot = store.catalog().share();
  for (const std::string_view db : snapshot->databases()) databases.emplace(db, 0);  // Some may have nothing but views.
  for (const auto& collection : snapshot->all()) {
    TRY(const CollectionSizes sizes,
        CollectionSizes::of(store.engine(), *collection, CollectionSizes::Detail::kFiles));
    databases[std::string(collection->ns.db())] += sizes.storage_bytes + sizes.index_bytes;
  }
  return databases;
}

bson::Document describe(const std::string& name, std::int64_t bytes) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("name", name);
    row.add("sizeOnDisk", bytes);
    row.add("empty", false);  // A database exists by having a collection.
  });
}

Status list_databases(Operation& op, bson::Writer& reply) {
  TRY(const ListDatabasesRequest request, kArguments.parse("listDatabases", op.request()));
  TRY(const query::Matcher matcher, query::Matcher::parse(request.filter));
  TRY(const auto databases, measure(op.server().store));
  std::int64_t total = 0;
  {
    bson::ArrayWriter rows = reply.array("databases");
    for (const auto& [name, bytes] : databases) {
      const bson::Document row = describe(name, bytes);
      if (!matcher.matches(row.view())) continue;
      total += bytes;
      if (request.name_only) {
        rows.document().add("name", name);
      } else {
        rows.push(row.view());
      }
    }
  }
  if (request.name_only) return {};
  reply.add("totalSize", total);
  reply.add("totalSizeMb", total >> 20);
  return {};
}

const Register kListDatabases{{
    .name = "listDatabases",
    .help = "All databases, with the size of their files.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .target = Target::kAdmin,
    .stable_api = true,
    .run = list_databases,
}};

}  // namespace
}  // namespace partita::commands
