// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/host.h"
#include "commands/plan_cache.h"
#include "commands/server.h"
#include "commands/source_stages.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

Result<std::vector<bson::Document>> plan_cache_stats(Operation& operation, const shards::Namespace& ns, bson::Value specification) {
  if (!specification.is_document()) return error(Code::FailedToParse, "$planCacheStats value must be an object. Found: ", specification.type_name());
  if (!specification.as_document().empty()) {
    return error(Code::FailedToParse, "$planCacheStats parameters object must be empty. Found: ", specification.as_document().begin()->name);
  }
  CHECK_OK(check_asks_collection(operation, "$planCacheStats"));
  Server& server = operation.server();
  std::vector<bson::Document> rows;
  const auto collection = server.store.catalog().snapshot().share(ns.full());
  if (collection == nullptr) {
    return error(Code{50933}, "PlanExecutor error during aggregation :: caused by :: collection '", ns.full(), "' does not exist");
  }
  for (const auto& plan : plan_cache().all(*collection)) {
    rows.push_back(bson::Document::build([&](bson::Writer& row) {
      row.add("version", "1");
      row.add("queryHash", query_hash(plan->shape));
      row.add("planCacheKey", plan_cache_key(*collection, plan->shape));
      row.add("isActive", plan->active.load(std::memory_order_relaxed));
      add_number(row, "works", plan->works);
      row.add("timeOfCreation", plan->created);
      {
        bson::Writer query = row.document("createdFromQuery");
        query.add("query", plan->query.view());
        query.add("sort", plan->sort.view());
      }
      row.add("cachedPlan", plan->told.view()["plan"]);
      row.add("indexFilterSet", false);
      row.add("host", host_and_port(server.settings.net.port));
    }));
  }
  return rows;
}

const RegisterSourceStage kPlanCacheStats{{
    .name = "$planCacheStats",
    .help = "The plans that have won against others, by the shape of their queries.",
    .run = plan_cache_stats,
}};

}  // namespace
}  // namespace partita::commands
