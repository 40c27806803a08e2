// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain.h"

#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/explain_partitions.h"
#include "commands/host.h"
#include "commands/plan_cache.h"
#include "commands/server.h"
#include "commands/settings/sort_parameters.h"
#include "commands/version.h"
#include "commands/views.h"
#include "query/match/geo.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"
#include "wire/saturating.h"

namespace partita::commands {
namespace {

void write_collation(const PlanChoice& choice, bson::Writer& planner) {
  const query::Collator* collation = choice.request().filter->collation.get();
  if (collation != nullptr) planner.add("collation", collation->spec());
}

using std::chrono::steady_clock;

/// Rows between two calls for more while a plan is run for its figures.
constexpr std::int64_t kRowsAtOnce = 1000;

std::int64_t millis_since(SteadyTime start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start).count();
}

Status visit_batch(const ExplainedQuery& explained, bson::View batch, query::PlanFigures& figures) {
  for (const bson::Field& row : batch) {
    ++figures.returned;
    if (explained.visit) CHECK_OK(explained.visit(row.value.as_document(), figures));
  }
  return {};
}

/// One that tells what was done on each leg.
std::unique_ptr<FindRun> run_told_apart(shards::Store& store, std::shared_ptr<const shards::Collection> collection,
                                        FindQuery query, Plan plan, const AskedParallelism& asked) {
  const FindFanOut::Manner manner{.parallelism = asked.over(*collection)};
  const bool near = query.sort.near() != nullptr && plan.order.index != nullptr;
  if (is_divided(collection.get()) && !near) {
    return std::make_unique<FindFanOut>(store, std::move(collection), std::move(query), std::move(plan), manner);
  }
  return run_find(store, std::move(collection), std::move(query), std::move(plan), manner);
}

/// What count and distinct do: rows are looked at where they lie.
Result<RunFigures> run_walks(Operation& operation, const ExplainedQuery& explained,
                             const std::shared_ptr<const shards::Collection>& collection, Plan plan) {
  RunFigures run;
  const query::ExplainRequest& shown = explained.shown;
  TRY(const query::Matcher matcher, query::Matcher::parse(shown.filter, explained.context, query::FilterUse::kQuery));
  const bool by_key = plan.by_key();
  LegWalks walks(operation, collection, matcher, plan.order, explained.asked.over(*collection));
  walks.watch(plan.premise);
  if (plan.exact) explained.looks ? walks.ask_nothing() : walks.count_keys();
  query::PlanFigures& figures = run.plan;
  if (explained.looks) {
    CHECK_OK(walks.for_each(explained.looks(walks.legs())));
    figures.returned = walks.matched();
  } else {
    const auto skip = static_cast<std::int64_t>(shown.skip);
    const auto limit = static_cast<std::int64_t>(shown.limit);
    TRY(const std::int64_t found, walks.count(limit == 0 ? INT64_MAX : saturating_add(limit, skip)));
    figures.skipped = std::min(found, skip);
    figures.returned = found - figures.skipped;
  }
  figures.matched = walks.matched();
  run.legs = walks.reports();
  for (LegReport& leg : run.legs) {
    if (!by_key) leg.figures.keys = 0;
    figures.keys += leg.figures.keys;
    figures.documents += leg.figures.documents;
  }
  take_apart(run.legs, figures);
  run.threads = walks.threads();
  return run;
}

/// Runs the plan as the command would and throws away what it yields.
Result<RunFigures> run(Operation& operation, const ExplainedQuery& explained,
                       std::shared_ptr<const shards::Collection> collection, Plan plan) {
  const bool walks = explained.looks || explained.shown.use == query::PlanUse::kCount;
  if (walks && (is_divided(collection.get()) || plan.exact)) return run_walks(operation, explained, collection, std::move(plan));
  RunFigures run;
  query::PlanFigures& figures = run.plan;
  const query::ExplainRequest& shown = explained.shown;
  TRY(query::Matcher matcher, query::Matcher::parse(shown.filter, explained.context, query::FilterUse::kQuery));
  FindQuery query{.matcher = std::move(matcher), .skip = shown.skip, .limit = shown.limit, .disk_use = explained.disk_use};
  TRY(query.sort, query::parse_order(shown.sort, query.matcher.tree()));
  const bool by_key = plan.by_key();
  const PlanPremise premise = plan.premise;
  const auto execution = run_told_apart(operation.server().store, std::move(collection), std::move(query), std::move(plan),
                                        explained.asked);
  execution->tell_apart();
  execution->set_premise(premise);
  while (!execution->exhausted()) {
    bson::Buffer bytes;
    {
      bson::ArrayWriter batch(bytes);
      CHECK_OK(execution->fill(operation, batch, {.documents = kRowsAtOnce}));
    }
    CHECK_OK(visit_batch(explained, bson::View::trusted(bytes.data()), figures));
  }
  figures.keys = by_key ? execution->keys_examined() : 0;
  figures.documents = execution->documents_examined();
  figures.matched = execution->matched();
  figures.skipped = execution->skipped();
  figures.exhausted = execution->scanned_to_the_end();
  run.legs = execution->legs();
  if (!by_key) for (LegReport& leg : run.legs) leg.figures.keys = 0;
  figures.branches = execution->branches();
  figures.sorted = execution->sorted();
  if (run.legs.size() == 1) figures.rings = run.legs[0].rings;
  run.threads = execution->threads();
  return run;
}

/// What each partition is asked for: skipping is left to the merge.
query::ExplainRequest on_each(query::ExplainRequest shown) {
  if (shown.limit != 0) shown.limit += std::min(shown.skip, ~shown.limit);
  shown.skip = 0;
  return shown;
}

/// A partition in a shard's place.
void write_shards(const shards::Namespace& ns, const PlanChoice& choice, const query::ExplainRequest& shown,
                  bson::Writer& to) {
  bson::ArrayWriter shards = to.array("shards");
  for (const shards::LegSpan& leg : leg_spans(*choice.collection(), choice.plan().order)) {
    bson::Writer one = shards.document();
    one.add("shardName", leg_name(*choice.collection(), leg));
    one.add("namespace", ns.full());
    one.add("indexFilterSet", false);
    write_plans(choice, on_each(shown), one);
  }
}

void write_shard_figures(const PlanChoice& choice, const query::ExplainRequest& shown, const RunFigures& figures,
                         bson::Writer& to) {
  bson::ArrayWriter shards = to.array("shards");
  for (const LegReport& leg : figures.legs) {
    bson::Writer one = shards.document();
    one.add("shardName", leg_name(*choice.collection(), leg.span));
    write_leg_stats(choice, on_each(shown), leg, leg.figures.returned, one);
  }
}

}  // namespace

void write_plans(const PlanChoice& choice, const query::ExplainRequest& shown, bson::Writer& planner) {
  query::explain_filter(shown.filter, "parsedQuery", planner);
  write_collation(choice, planner);
  query::explain_plan(choice.winner(), choice.request(), shown, nullptr, "winningPlan", planner);
  bson::ArrayWriter rejected = planner.array("rejectedPlans");
  for (const query::Plan& plan : choice.rejected()) {
    const auto told = bson::Document::build(
        [&](bson::Writer& out) { query::explain_plan(plan, choice.request(), shown, nullptr, "plan", out); });
    rejected.push(told["plan"]);
  }
}

void take_apart(const std::vector<LegReport>& legs, query::PlanFigures& figures) {
  for (const LegReport& leg : legs) query::add_each(figures.branches, leg.branches);
  if (legs.size() == 1) figures.rings = legs[0].rings;
}

void write_leg_stats(const PlanChoice& choice, const query::ExplainRequest& shown, const LegReport& leg, std::int64_t returned,
                     bson::Writer& out) {
  query::PlanFigures own;
  own.keys = leg.figures.keys;
  own.documents = leg.figures.documents;
  own.matched = own.returned = returned;
  own.millis = std::chrono::duration_cast<std::chrono::milliseconds>(leg.figures.time).count();
  own.branches = leg.branches;
  own.rings = leg.rings;
  out.add("executionSuccess", true);
  add_number(out, "nReturned", own.returned);
  add_number(out, "executionTimeMillis", own.millis);
  add_number(out, "totalKeysExamined", own.keys);
  add_number(out, "totalDocsExamined", own.documents);
  query::explain_plan(choice.winner(), choice.request(), shown, &own, "executionStages", out);
}

void write_tried(const PlanChoice& choice, const query::ExplainRequest& shown, std::span<const TrialFigures> tried, bson::Writer& stats) {
  bson::ArrayWriter all = stats.array("allPlansExecution");
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const TrialFigures& trial = tried[i];
    const query::Plan& plan = choice.candidates()[i];
    const bool scans = plan.access == query::Plan::Access::kCollectionScan;
    const query::PlanFigures figures{.keys = scans ? 0 : trial.works, .documents = trial.documents, .matched = trial.matched, .returned = trial.results, .exhausted = trial.ended};
    bson::Writer one = all.document();
    add_number(one, "nReturned", figures.returned);
    add_number(one, "totalKeysExamined", figures.keys);
    add_number(one, "totalDocsExamined", figures.documents);
    one.add("score", trial.score);
    query::explain_plan(plan, choice.request(), shown, &figures, "executionStages", one);
  }
}

void write_totals(const RunFigures& figures, bson::Writer& out) {
  out.add("executionSuccess", true);
  add_number(out, "nReturned", figures.answered);
  add_number(out, "executionTimeMillis", figures.millis);
  add_number(out, "totalKeysExamined", figures.plan.keys);
  add_number(out, "totalDocsExamined", figures.plan.documents);
}

namespace {

/// By which $planCacheStats knows the query.
void write_hashes(const PlanChoice& choice, bson::Writer& planner) {
  const std::string shape = shape_of(choice.request());
  planner.add("queryHash", query_hash(shape));
  planner.add("planCacheKey", plan_cache_key(*choice.collection(), shape));
}

}  // namespace

void write_query_planner(const shards::Namespace& ns, const PlanChoice& choice, const query::ExplainRequest& shown,
                         const AskedParallelism& asked, bson::Writer& to) {
  bson::Writer planner = to.document("queryPlanner");
  planner.add("namespace", ns.full());
  planner.add("indexFilterSet", false);
  if (!is_divided(choice.collection())) {
    if (choice.collection() != nullptr) write_hashes(choice, planner);
    return write_plans(choice, shown, planner);
  }
  planner.add("mongosPlannerVersion", 1);
  query::explain_filter(shown.filter, "parsedQuery", planner);
  write_collation(choice, planner);
  {
    bson::Writer merge = planner.document("winningPlan");
    merge.add("stage", merge_stage(choice, !shown.sort.empty()));
    write_shards(ns, choice, shown, merge);
  }
  planner.array("rejectedPlans").close();
  write_targets(choice, asked, planner);
}

void write_execution_stats(const PlanChoice& choice, const query::ExplainRequest& shown, const RunFigures& figures,
                           Verbosity verbosity, bson::Writer& to) {
  bson::Writer stats = to.document("executionStats");
  write_totals(figures, stats);
  if (is_divided(choice.collection())) {
    {
      bson::Writer merge = stats.document("executionStages");
      merge.add("stage", merge_stage(choice, !shown.sort.empty()));
      write_totals(figures, merge);
      write_shard_figures(choice, shown, figures, merge);
    }
    write_leg_reports(choice, figures, stats);
  } else {
    query::explain_plan(choice.winner(), choice.request(), shown, &figures.plan, "executionStages", stats);
  }
  if (verbosity == Verbosity::kAllPlansExecution) write_tried(choice, shown, figures.tried, stats);
}

Status check_explainable(Operation& operation, const shards::Namespace& ns) {
  if (!config_view(operation.server(), ns)) return {};
  return error(Code::CommandNotSupportedOnView, ns.full(), " is made anew for every reader: there is no plan to explain");
}

Status explain_query(Operation& operation, const ExplainedQuery& explained, Verbosity verbosity, bson::Writer& to) {
  CHECK_OK(check_explainable(operation, explained.ns));
  query::ExplainRequest shown = explained.shown;
  shown.sort_memory = parameters::sort_limits().memory_bytes;
  const auto collection = operation.server().store.catalog().snapshot().share(explained.ns.full());
  TRY(const query::Matcher matcher, query::Matcher::parse(explained.shown.filter, explained.context, query::FilterUse::kQuery));
  TRY(const query::SortSpec sort, query::parse_order(explained.shown.sort, matcher.tree()));
  TRY(PlanChoice choice, explained.bounds.given() && collection != nullptr
                                   ? choose_between(collection, explained.bounds, matcher.tree().collation, sort, explained.hint)
                                   : PlanChoice::make(collection, matcher.tree(), sort, explained.hint, told_apart(explained.needs)));
  if (!explained.bounds.given()) CHECK_OK(choice.settle(operation.plan_asker(), matcher));
  to.add("explainVersion", "1");
  write_query_planner(explained.ns, choice, shown, explained.asked, to);
  if (!runs(verbosity)) return {};
  const SteadyTime start = steady_clock::now();
  RunFigures figures;
  if (collection != nullptr) {
    TRY(figures, run(operation, explained, collection, choice.plan()));
  }
  if (collection != nullptr && verbosity == Verbosity::kAllPlansExecution) {
    TRY(figures.tried, choice.try_again(operation.server().store, matcher));
  }
  if (explained.finish) explained.finish(figures.plan);
  figures.answered = explained.shown.answers_rows() ? figures.plan.returned : 0;
  figures.millis = figures.plan.millis = millis_since(start);
  write_execution_stats(choice, shown, figures, verbosity, to);
  return {};
}

void write_server_info(Operation& operation, bson::Writer& to) {
  bson::Writer info = to.document("serverInfo");
  info.add("host", host_name());
  info.add("port", static_cast<std::int32_t>(operation.server().settings.net.port));
  info.add("version", kMongoVersion);
  info.add("gitVersion", "partita-" PARTITA_VERSION);
}

namespace {

struct ExplainArguments {
  std::string_view verbosity = "allPlansExecution";
};
const Arguments<ExplainArguments> kArguments{{"verbosity", &ExplainArguments::verbosity}};

Result<Verbosity> parse_verbosity(std::string_view word) {
  if (word == "queryPlanner") return Verbosity::kQueryPlanner;
  if (word == "executionStats") return Verbosity::kExecutionStats;
  if (word == "allPlansExecution") return Verbosity::kAllPlansExecution;
  return error(Code::BadValue, "Enumeration value '", word, "' for field 'explain.verbosity' is not a valid value.");
}

Result<const Command*> explained_command(bson::View inner) {
  const std::string_view name = inner.empty() ? std::string_view() : inner.begin()->name;
  const Command* command = find_command(name);
  if (command == nullptr) return error(Code::CommandNotFound, "Explain failed due to unknown command: ", name);
  if (command->name == "explain") return error(Code::IllegalOperation, "Explain cannot explain itself.");
  if (command->explain == nullptr) return error(Code::IllegalOperation, "Cannot explain cmd: ", name);
  return command;
}

/// The command as it would have been sent by itself.
Result<bson::Document> with_database(bson::View inner, std::string_view db) {
  const bson::Value named = inner["$db"];
  if (named.is_string() && named.as_string() != db) {
    return error(Code::InvalidNamespace, "Mismatched $db in explain command. Expected ", db, " but got ", named.as_string());
  }
  return bson::Document::build([&](bson::Writer& command) {
    command.elements(inner);
    if (named.missing()) command.add("$db", db);
  });
}

Status explain(Operation& operation, bson::Writer& reply) {
  TRY(const ExplainArguments arguments, kArguments.parse("explain", operation.request()));
  TRY(const Verbosity verbosity, parse_verbosity(arguments.verbosity));
  if (!operation.target().is_document()) return wrong_type("explain", "explain", operation.target(), "object");
  const bson::View inner = operation.target().as_document();
  TRY(const Command* command, explained_command(inner));
  TRY(const bson::Document body, with_database(inner, operation.db()));
  wire::Request request = operation.request();
  request.body = body.view();
  TRY(GenericArguments generic, GenericArguments::parse(request));
  Operation explained(operation.server(), operation.client(), request, *command, generic, operation.on_worker());
  explained.stand_in_for(operation);
  CHECK_OK(explain_or_read_view(explained, verbosity, reply));
  reply.add("command", body.view());
  write_server_info(operation, reply);
  return {};
}

const Register kExplain{{
    .name = "explain",
    .help = "How a query would be answered and, if asked, how that went. Nothing is changed.",
    .where = Where::kWorker,
    .rights = Rights::kRead,
    .stable_api = true,
    .plans_anew = true,
    .run = explain,
}};

}  // namespace
}  // namespace partita::commands
