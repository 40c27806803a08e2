// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/explain_change.h"
#include "commands/modify.h"
#include "commands/variables.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

struct UpdateRequest {
  Documents updates;
  bool ordered = true;
  bson::Value statement_number, statement_numbers;
  bool bypass_validation = false;
  bson::View let;
};

const Arguments<UpdateRequest> kArguments{
    {"updates", &UpdateRequest::updates, Rule::kRequired},
    {"ordered", &UpdateRequest::ordered, Rule::kStrict},
    {"stmtId", &UpdateRequest::statement_number},
    {"stmtIds", &UpdateRequest::statement_numbers},
    {"bypassDocumentValidation", &UpdateRequest::bypass_validation},
    {"let", &UpdateRequest::let},
};

Result<UpdateStatement> parse_statement(bson::View document) {
  constexpr std::string_view kCommand = "update.updates";
  UpdateStatement statement;
  bool has_filter = false;
  for (const auto& [name, value] : document) {
    TRY(const bool shared, statement.read_option(kCommand, name, value));
    if (shared) continue;
    if (name == "q") {
      CHECK_OK(detail::read(statement.filter, value, kCommand, name));
      has_filter = !value.is_null();
    } else if (name == "u") {
      if (!value.is_document() && !value.is_array()) {
        return error(Code::FailedToParse, "Update argument must be either an object or an array");
      }
      if (value.is_array()) CHECK_OK(query::PipelineUpdate::check_shape(value.as_document()));
      statement.update = value;
    } else if (name == "c") {
      CHECK_OK(detail::read(statement.constants, value, kCommand, name));
      statement.has_constants = !value.is_null();
    } else if (name == "collation") {
      CHECK_OK(read_collation(statement.collation, value, kCommand));
    } else {
      return unknown_field(kCommand, name);
    }
  }
  if (!has_filter) return missing_field(kCommand, "q");
  if (statement.update.missing()) return missing_field(kCommand, "u");
  return statement;
}

struct Totals {
  explicit Totals(std::size_t statements) : errors(statements) {}

  std::int32_t matched = 0;
  std::int32_t modified = 0;
  struct Upserted {
    std::int32_t index;
    bson::Document id;
  };
  std::vector<Upserted> upserted;
  std::vector<std::int32_t> retried;
  WriteErrors errors;
};

void add(Outcome outcome, std::int32_t index, Totals& totals) {
  totals.matched += outcome.matched;
  totals.modified += outcome.modified;
  if (outcome.upserted.view().empty()) return;
  totals.errors.room().take(outcome.upserted.view().size());
  totals.upserted.push_back({index, std::move(outcome.upserted)});
}

/// Fails only with what ends the command.
Status run_all(Operation& operation, const shards::Namespace& ns, const std::vector<UpdateStatement>& statements,
               const Result<Variables>& variables, const StatementNumbers& numbers, bool ordered, Totals& totals) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Outcome outcome;
    Status status = variables.ok() ? run_update(operation, ns, statements[i], variables->context(), numbers.at(i),
                                                totals.errors.room().left(), outcome)
                                   : variables.status();
    if (!status.ok() && ends_command(status.code())) return status;
    if (status.ok()) {
      if (outcome.retried) totals.retried.push_back(numbers.at(i));
      add(std::move(outcome), static_cast<std::int32_t>(i), totals);
    } else {
      totals.errors.add(i, std::move(status));
      if (ordered) return {};
    }
  }
  return {};
}

Status update(Operation& operation, bson::Writer& reply) {
  TRY(const UpdateRequest request, kArguments.parse("update", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  const std::size_t count = request.updates.count();
  CHECK_OK(check_batch_size(count));
  TRY(const auto statements, parse_statements<UpdateStatement>(request.updates, parse_statement));
  // One statement by _id is done on the spot; what has to wait or to scan has changed nothing when it says so.
  if (count > 1 && !operation.on_worker()) return operation.to_worker();
  TRY(const StatementNumbers numbers,
      StatementNumbers::parse("update", request.statement_number, request.statement_numbers, count));
  Totals totals(count);
  const Result<Variables> variables = Variables::of(operation, request.let);
  CHECK_OK(run_all(operation, ns, statements, variables, numbers, request.ordered, totals));

  DocumentCounts& counts = operation.stats().documents;
  counts.updated = totals.modified;
  counts.update_statements = static_cast<std::int64_t>(count);
  if (is_unacknowledged(operation)) {
    reply.add("n", 0);
    reply.add("nModified", 0);
    return {};
  }
  reply.add("n", totals.matched);
  totals.errors.write(reply);
  write_retried(totals.retried, reply);
  if (!totals.upserted.empty()) {
    bson::ArrayWriter array = reply.array("upserted");
    for (const Totals::Upserted& one : totals.upserted) {
      bson::Writer entry = array.document();
      entry.add("index", one.index);
      entry.elements(one.id.view());
    }
  }
  reply.add("nModified", totals.modified);
  return {};
}

Status explain_update(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const UpdateRequest request, kArguments.parse("update", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (request.updates.count() != 1) return error(Code::InvalidLength, "explained write batches must be of size 1");
  TRY(const Variables variables, Variables::of(operation, request.let));
  return request.updates.for_each([&](bson::View document) -> Status {
    TRY(const UpdateStatement statement, parse_statement(document));
    TRY(const StatementContext context, StatementContext::of(operation, ns, statement.collation, variables.context()));
    TRY(const query::Update update, statement.parse_update(context.get()));
    Change change{.filter = statement.filter, .update = &update, .upsert = statement.upsert, .hint = statement.hint,
                  .context = &context.get()};
    CHECK_OK(statement.choose_by_sort(change));
    const query::ExplainRequest shown{.filter = statement.filter, .sort = statement.sort, .limit = statement.multi ? 0U : 1U};
    return explain_change(operation, ns, change, shown, verbosity, reply);
  });
}

const Register kUpdate{{
    .name = "update",
    .help = "Changes documents: the first or all that match, or inserts one when none does (upsert).",
    .rights = Rights::kWrite,
    .target = Target::kCollection,
    .retryable_write = true,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = update,
    .explain = explain_update,
}};

}  // namespace
}  // namespace partita::commands
