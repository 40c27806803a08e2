// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain.h"

#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/version.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

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

/// Runs the plan as the command would and throws away what it yields.
Result<query::PlanFigures> run(Operation& operation, const ExplainedQuery& explained,
                               std::shared_ptr<const shards::Collection> collection, Plan plan) {
  query::PlanFigures figures;
  const query::ExplainRequest& shown = explained.shown;
  TRY(query::Matcher matcher, query::Matcher::parse(shown.filter));
  FindQuery query{.matcher = std::move(matcher), .skip = shown.skip, .limit = shown.limit};
  TRY(query.sort, query::SortSpec::parse(shown.sort));
  const bool by_key = plan.by_key();
  FindExecution execution(operation.server().store, std::move(collection), std::move(query), std::move(plan.order), plan.sorted);
  while (!execution.exhausted()) {
    bson::Buffer bytes;
    {
      bson::ArrayWriter batch(bytes);
      CHECK_OK(execution.fill(operation, batch, {.documents = kRowsAtOnce}));
    }
    CHECK_OK(visit_batch(explained, bson::View::trusted(bytes.data()), figures));
  }
  figures.keys = by_key ? execution.keys_examined() : 0;
  figures.documents = execution.documents_examined();
  figures.matched = execution.matched();
  figures.skipped = execution.skipped();
  figures.exhausted = execution.scanned_to_the_end();
  return figures;
}

}  // namespace

void write_query_planner(const shards::Namespace& ns, const PlanChoice& choice, const query::ExplainRequest& shown,
                         bson::Writer& to) {
  bson::Writer planner = to.document("queryPlanner");
  planner.add("namespace", ns.full());
  planner.add("indexFilterSet", false);
  query::explain_filter(shown.filter, "parsedQuery", planner);
  query::explain_plan(choice.winner(), choice.request(), shown, nullptr, "winningPlan", planner);
  bson::ArrayWriter rejected = planner.array("rejectedPlans");
  for (const query::Plan& plan : choice.rejected()) {
    const auto told = bson::Document::build(
        [&](bson::Writer& out) { query::explain_plan(plan, choice.request(), shown, nullptr, "plan", out); });
    rejected.push(told["plan"]);
  }
}

void write_execution_stats(const PlanChoice& choice, const query::ExplainRequest& shown, const RunFigures& figures,
                           Verbosity verbosity, bson::Writer& to) {
  bson::Writer stats = to.document("executionStats");
  stats.add("executionSuccess", true);
  add_number(stats, "nReturned", figures.answered);
  add_number(stats, "executionTimeMillis", figures.millis);
  add_number(stats, "totalKeysExamined", figures.plan.keys);
  add_number(stats, "totalDocsExamined", figures.plan.documents);
  query::explain_plan(choice.winner(), choice.request(), shown, &figures.plan, "executionStages", stats);
  if (verbosity == Verbosity::kAllPlansExecution) stats.array("allPlansExecution").close();
}

Status check_explainable(Operation& operation, const shards::Namespace& ns) {
  if (!config_view(operation.server(), ns)) return {};
  return error(Code::CommandNotSupportedOnView, ns.full(), " is made anew for every reader: there is no plan to explain");
}

Status explain_query(Operation& operation, const ExplainedQuery& explained, Verbosity verbosity, bson::Writer& to) {
  CHECK_OK(check_explainable(operation, explained.ns));
  const auto collection = operation.server().store.catalog().snapshot().share(explained.ns.full());
  TRY(const query::Matcher matcher, query::Matcher::parse(explained.shown.filter));
  TRY(const query::SortSpec sort, query::SortSpec::parse(explained.shown.sort));
  TRY(const PlanChoice choice, PlanChoice::make(collection.get(), matcher.tree(), sort, explained.hint));
  to.add("explainVersion", "1");
  write_query_planner(explained.ns, choice, explained.shown, to);
  if (!runs(verbosity)) return {};
  const SteadyTime start = steady_clock::now();
  RunFigures figures;
  if (collection != nullptr) {
    TRY(figures.plan, run(operation, explained, collection, choice.plan()));
  }
  if (explained.finish) explained.finish(figures.plan);
  figures.answered = explained.shown.answers_rows() ? figures.plan.returned : 0;
  figures.millis = millis_since(start);
  write_execution_stats(choice, explained.shown, figures, verbosity, to);
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
  if (operation.deadline()) explained.set_deadline(*operation.deadline());
  CHECK_OK(command->explain(explained, verbosity, reply));
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
    .run = explain,
}};

}  // namespace
}  // namespace partita::commands
