// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/explain.h"
#include "commands/leg_walks.h"
#include "commands/plan.h"
#include "commands/server.h"
#include "commands/view_query.h"
#include "commands/variables.h"
#include "commands/views.h"
#include "query/match/matcher.h"
#include "shards/store.h"
#include "wire/bson/json.h"
#include "wire/bson/narrow_number.h"
#include "wire/saturating.h"

namespace partita::commands {
namespace {

struct CountRequest {
  bson::View query, collation;
  bson::Value given_limit;
  std::int64_t limit = 0;
  std::int64_t skip = 0;
  bson::Value hint, degree, buffered;
  AskedParallelism asked;
};

const Arguments<CountRequest> kArguments{
    {"query", &CountRequest::query},
    {"limit", &CountRequest::given_limit},
    {"skip", &CountRequest::skip},
    {"hint", &CountRequest::hint},
    {"collation", &CountRequest::collation},
    {kDegreeName, &CountRequest::degree},
    {kBufferedName, &CountRequest::buffered},
    {"fields", nullptr},  // Old shells send a projection, which counts nothing.
};

/// How it is said that everything is counted, by looking at nothing.
constexpr std::string_view kFastCount = "RECORD_STORE_FAST_COUNT";

/// Counts matching documents, no more than `most`.
Result<std::int64_t> count_matching(Operation& operation, const std::shared_ptr<const shards::Collection>& collection,
                                    const CountRequest& request, std::int64_t most) {
  TRY(query::Collation order, collation_for(request.collation, collection.get()));
  TRY(const Variables variables, Variables::of(operation, {}, std::move(order)));
  TRY(const query::Matcher matcher, query::Matcher::parse(request.query, variables.context(), query::FilterUse::kQuery));
  TRY(const Plan plan, choose_plan(operation.plan_asker(), collection, matcher, {}, request.hint, {.paths = std::vector<std::string>()}));
  LegWalks walks(operation, collection, matcher, plan.order, request.asked.over(*collection));
  walks.watch(plan.premise);
  if (plan.exact) walks.count_keys();
  TRY(const std::int64_t count, walks.count(most));
  CHECK_OK(plan.premise.check(operation.server().store));
  return count;
}

/// Unlike `skip`, which is cut to a whole number.
Result<std::int64_t> parse_limit(bson::Value limit) {
  if (limit.missing()) return 0;
  if (!limit.is_number()) return error(Code::BadValue, "limit value is not a valid number");
  const auto whole = limit.exact_int64();
  if (!whole) return error(Code::FailedToParse, "Expected an integer: limit: ", bson::to_shell(limit));
  if (*whole == INT64_MIN) return error(Code::BadValue, "limit value for count cannot be min long");
  return *whole < 0 ? -*whole : *whole;  // Negative ones are from old drivers.
}

Result<CountRequest> parse(const Operation& operation) {
  TRY(CountRequest request, kArguments.parse("count", operation.request()));
  if (request.skip < 0) return error(Code{51024}, "BSON field 'skip' value must be >= 0, actual value '", request.skip, "'");
  if (!request.collation.empty()) CHECK_OK(query::Collator::make(request.collation).status());
  if (!request.hint.missing()) CHECK_OK(check_hint(request.hint));
  TRY(request.limit, parse_limit(request.given_limit));
  TRY(request.asked, AskedParallelism::parse("count", request.degree, request.buffered, operation.generic().comment));
  return request;
}

Status count(Operation& operation, bson::Writer& reply) {
  TRY(const CountRequest request, parse(operation));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  const std::int64_t limit = request.limit;
  std::int64_t found = 0;
  if (auto view = config_view(operation.server(), ns)) {
    TRY(query::Collation order, collation_for(request.collation, nullptr));
    TRY(const Variables variables, Variables::of(operation, {}, std::move(order)));
    TRY(query::Matcher matcher, query::Matcher::parse(request.query, variables.context(), query::FilterUse::kQuery));
    TRY(const auto matching, select(std::move(*view), {.matcher = std::move(matcher)}));
    found = static_cast<std::int64_t>(matching.size());
  } else if (collection != nullptr && request.query.empty() && request.hint.missing()) {
    found = collection->size().documents;
    if (operation.watched()) operation.stats().plan_summary = kFastCount;
  } else if (collection == nullptr) {
    TRY(const Variables variables, Variables::of(operation));
    CHECK_OK(query::Matcher::parse(request.query, variables.context(), query::FilterUse::kQuery).status());
  } else {
    if (!operation.on_worker()) return operation.to_worker();
    const std::int64_t most = limit == 0 ? INT64_MAX : saturating_add(limit, request.skip);
    TRY(found, count_matching(operation, collection, request, most));
  }
  found = std::max<std::int64_t>(0, found - request.skip);
  if (limit > 0) found = std::min(found, limit);
  add_number(reply, "n", found);
  return {};
}

/// Counting everything looks at nothing, which no plan can tell.
Status explain_size(const shards::Namespace& ns, const shards::Collection& collection, Verbosity verbosity,
                    bson::Writer& reply) {
  reply.add("explainVersion", "1");
  {
    bson::Writer planner = reply.document("queryPlanner");
    planner.add("namespace", ns.full());
    planner.add("indexFilterSet", false);
    planner.document("winningPlan").add("stage", kFastCount);
    planner.array("rejectedPlans").close();
  }
  if (!runs(verbosity)) return {};
  bson::Writer stats = reply.document("executionStats");
  stats.add("executionSuccess", true);
  for (const char* none : {"nReturned", "executionTimeMillis", "totalKeysExamined", "totalDocsExamined"}) {
    stats.add(none, std::int32_t{0});
  }
  bson::Writer stage = stats.document("executionStages");
  stage.add("stage", kFastCount);
  add_number(stage, "nCounted", collection.size().documents);
  return {};
}

Status explain_count(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const CountRequest request, parse(operation));
  TRY(const shards::Namespace ns, operation.target_namespace(Code::InvalidNamespace));
  const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  if (collection != nullptr && request.query.empty()) return explain_size(ns, *collection, verbosity, reply);
  TRY(query::Collation order, collation_for(request.collation, collection.get()));
  TRY(const Variables variables, Variables::of(operation, {}, std::move(order)));
  const ExplainedQuery explained{.ns = ns,
                                 .shown = {.filter = request.query,
                                           .skip = static_cast<std::uint64_t>(request.skip),
                                           .limit = static_cast<std::uint64_t>(request.limit),
                                           .use = query::PlanUse::kCount},
                                 .hint = request.hint,
                                 .asked = request.asked,
                                 .context = variables.context(),
                                 .needs = {.paths = std::vector<std::string>()}};
  return explain_query(operation, explained, verbosity, reply);
}

Result<bson::Document> count_as_pipeline(const Operation& operation, const ViewSource& source) {
  TRY(const CountRequest request, parse(operation));
  const auto own_stages = [&](bson::ArrayWriter& stages) {
    if (!request.query.empty()) stages.document().add("$match", request.query);
    if (request.skip > 0) stages.document().add("$skip", request.skip);
    if (request.limit > 0) stages.document().add("$limit", request.limit);
    stages.document().add("$count", "n");
  };
  const auto own_options = [&](bson::Writer& command) {
    command.document("cursor").close();
    pass_on(operation, {"hint", kDegreeName, kBufferedName}, command);
  };
  return view_pipeline(operation, source, own_stages, own_options);
}

Status answer_count(bson::View first_batch, bson::Writer& reply) {
  const std::int64_t none = 0;
  add_number(reply, "n", first_batch.empty() ? none : first_batch.begin()->value.as_document()["n"].exact_int64().value_or(none));
  return {};
}

const Register kCount{{
    .name = "count",
    .help = "Counts the documents that match; all of them without looking at any.",
    .rights = Rights::kRead,
    .target = Target::kCollection,
    .takes_read_concern = true,
    .stable_api = true,
    .plans_anew = true,
    .on_view = {.pipeline = count_as_pipeline, .answer = answer_count},
    .run = count,
    .explain = explain_count,
}};

}  // namespace
}  // namespace partita::commands
