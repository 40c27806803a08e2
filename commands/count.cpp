// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/narrow_number.h"
#include "commands/plan.h"
#include "commands/server.h"
#include "commands/targets.h"
#include "commands/view_query.h"
#include "query/match/matcher.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct CountRequest {
  bson::View query, collation;
  std::int64_t limit = 0;
  std::int64_t skip = 0;
  bson::Value hint;
};

const Arguments<CountRequest> kArguments{
    {"query", &CountRequest::query},
    {"limit", &CountRequest::limit},
    {"skip", &CountRequest::skip},
    {"hint", &CountRequest::hint},
    {"collation", &CountRequest::collation},
    {"fields", nullptr},  // Old shells send a projection, which counts nothing.
};

/// Counts matching documents, no more than `most`.
Result<std::int64_t> count_matching(Operation& operation, const std::shared_ptr<const shards::Collection>& collection,
                                    const CountRequest& request, std::int64_t most) {
  TRY(const query::Matcher matcher, query::Matcher::parse(request.query));
  TRY(Plan plan, choose_plan(*collection, matcher.tree(), {}, request.hint));
  Targets targets(operation, collection, matcher, std::move(plan.order));
  return targets.count(most);
}

Status count(Operation& operation, bson::Writer& reply) {
  TRY(const CountRequest request, kArguments.parse("count", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (request.skip < 0) return error(Code{51024}, "BSON field 'skip' value must be >= 0, actual value '", request.skip, "'");
  if (!request.collation.empty()) return error(Code::NotImplemented, "count.collation is not supported");
  const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  const std::int64_t limit = request.limit < 0 ? -request.limit : request.limit;  // Negative ones are from old drivers.
  std::int64_t found = 0;
  if (auto view = config_view(operation.server(), ns)) {
    TRY(query::Matcher matcher, query::Matcher::parse(request.query));
    TRY(const auto matching, select(std::move(*view), {.matcher = std::move(matcher)}));
    found = static_cast<std::int64_t>(matching.size());
  } else if (collection != nullptr && request.query.empty()) {
    found = collection->size().documents;
  } else if (collection != nullptr) {
    if (!operation.on_worker()) return operation.to_worker();
    const std::int64_t most = limit == 0 ? INT64_MAX : limit + request.skip;
    TRY(found, count_matching(operation, collection, request, most));
  }
  found = std::max<std::int64_t>(0, found - request.skip);
  if (limit > 0) found = std::min(found, limit);
  add_number(reply, "n", found);
  return {};
}

const Register kCount{{
    .name = "count",
    .help = "Counts the documents that match; all of them without looking at any.",
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .run = count,
}};

}  // namespace
}  // namespace partita::commands
