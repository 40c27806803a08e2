// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/plan_cache.h"
#include "commands/server.h"
#include "query/projection/projection.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct ClearRequest {
  bson::Value query;
  bson::View sort, projection, collation;
};
const Arguments<ClearRequest> kArguments{
    {"query", &ClearRequest::query},
    {"sort", &ClearRequest::sort},
    {"projection", &ClearRequest::projection},
    {"collation", &ClearRequest::collation},
};

Status plan_cache_clear(Operation& operation, bson::Writer&) {
  TRY(const ClearRequest request, kArguments.parse("planCacheClear", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  if (!request.collation.empty()) return error(Code::NotImplemented, "planCacheClear.collation is not supported");
  const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  const bool of_all = request.query.missing();
  if (of_all && (!request.sort.empty() || !request.projection.empty())) {
    return error(Code::BadValue, "sort, projection, or collation provided without query");
  }
  if (!of_all && !request.query.is_document()) return error(Code::BadValue, "required field query must be an object");
  if (of_all) {
    if (collection != nullptr) plan_cache().clear(*collection);
    return {};
  }
  TRY(const query::Matcher matcher, query::Matcher::parse(request.query.as_document()));
  TRY(const query::SortSpec sort, query::SortSpec::parse(request.sort));
  std::vector<std::string> paths;
  query::PlanRequest planned{.filter = &matcher.tree(), .sort = &sort, .indexes = {}};
  if (!request.projection.empty()) {
    TRY(const query::Projection projection, query::Projection::parse_for_find(request.projection));
    if (projection.collect_paths(paths)) planned.needed = &paths;
  }
  if (collection != nullptr) plan_cache().clear(*collection, shape_of(planned));
  return {};
}

const Register kPlanCacheClear{{
    .name = "planCacheClear",
    .help = "Forgets which plans have won, for all queries or for those of one shape.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kCollection,
    .run = plan_cache_clear,
}};

}  // namespace
}  // namespace partita::commands
