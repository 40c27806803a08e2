// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/explain_change.h"
#include "commands/modify.h"
#include "commands/variables.h"
#include "commands/server.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

struct DeleteRequest {
  Documents deletes;
  bool ordered = true;
  bson::Value statement_number, statement_numbers;
  bson::View let;
};

const Arguments<DeleteRequest> kArguments{
    {"deletes", &DeleteRequest::deletes, Rule::kRequired},
    {"ordered", &DeleteRequest::ordered, Rule::kStrict},
    {"stmtId", &DeleteRequest::statement_number},
    {"stmtIds", &DeleteRequest::statement_numbers},
    {"let", &DeleteRequest::let},
};

/// What is no number deletes one or all documents in mongod, depending on its bytes; here it is an error.
Result<bool> parse_limit(bson::Value limit) {
  if (!limit.is_number()) return wrong_type("delete.deletes", "limit", limit, "[long, int, decimal, double']");
  const auto whole = limit.exact_int64();
  if (whole == 0 || whole == 1) return *whole == 1;
  return error(Code::FailedToParse, "The limit field in delete objects must be 0 or 1. Got ", bson::to_shell(limit));
}

Result<DeleteStatement> parse_statement(bson::View document) {
  constexpr std::string_view kCommand = "delete.deletes";
  DeleteStatement statement;
  bool has_filter = false;
  bool has_limit = false;
  for (const auto& [name, value] : document) {
    if (name == "q") {
      CHECK_OK(detail::read(statement.filter, value, kCommand, name));
      has_filter = !value.is_null();
    } else if (name == "limit") {
      TRY(const bool one, parse_limit(value));
      statement.multi = !one;
      has_limit = true;
    } else if (name == "hint") {
      CHECK_OK(check_hint_type(value));
      statement.hint = value;
    } else if (name == "collation") {
      CHECK_OK(read_collation(statement.collation, value, kCommand));
    } else {
      return unknown_field(kCommand, name);
    }
  }
  if (!has_filter) return missing_field(kCommand, "q");
  if (!has_limit) return missing_field(kCommand, "limit");
  return statement;
}

struct Totals {
  std::int32_t deleted = 0;
  std::vector<std::int32_t> retried;
  WriteErrors errors;
};

/// Fails only with what ends the command.
Status run_all(Operation& operation, const shards::Namespace& ns, const std::vector<DeleteStatement>& statements,
               const Result<Variables>& variables, const StatementNumbers& numbers, bool ordered, Totals& totals) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Outcome outcome;
    Status status = variables.ok() ? run_delete(operation, ns, statements[i], variables->context(), numbers.at(i), outcome)
                                   : variables.status();
    if (!status.ok() && ends_command(status.code())) return status;
    if (!status.ok()) {
      totals.errors.add(i, std::move(status));
      if (ordered) return {};
    }
    totals.deleted += outcome.matched;
    if (outcome.retried) totals.retried.push_back(numbers.at(i));
  }
  return {};
}

Status remove(Operation& operation, bson::Writer& reply) {
  TRY(const DeleteRequest request, kArguments.parse("delete", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  const std::size_t count = request.deletes.count();
  CHECK_OK(check_batch_size(count));
  TRY(const auto statements, parse_statements<DeleteStatement>(request.deletes, parse_statement));
  if (count > 1 && !operation.on_worker()) return operation.to_worker();
  TRY(const StatementNumbers numbers,
      StatementNumbers::parse("delete", request.statement_number, request.statement_numbers, count));
  Totals totals;
  const Result<Variables> variables = Variables::of(operation, request.let);
  CHECK_OK(run_all(operation, ns, statements, variables, numbers, request.ordered, totals));
  operation.stats().documents.deleted = totals.deleted;
  operation.stats().documents.delete_statements = static_cast<std::int64_t>(count);
  if (is_unacknowledged(operation)) return reply.add("n", 0), Status();
  reply.add("n", totals.deleted);
  totals.errors.write(reply);
  write_retried(totals.retried, reply);
  return {};
}

Status explain_remove(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const DeleteRequest request, kArguments.parse("delete", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (request.deletes.count() != 1) return error(Code::InvalidLength, "explained write batches must be of size 1");
  TRY(const Variables variables, Variables::of(operation, request.let));
  return request.deletes.for_each([&](bson::View document) -> Status {
    TRY(const DeleteStatement statement, parse_statement(document));
    TRY(const StatementContext context, StatementContext::of(operation, ns, statement.collation, variables.context()));
    const Change change{.filter = statement.filter, .hint = statement.hint, .context = &context.get()};
    const std::uint64_t limit = statement.multi ? 0 : 1;
    return explain_change(operation, ns, change, {.filter = statement.filter, .limit = limit}, verbosity, reply);
  });
}

const Register kDelete{{
    .name = "delete",
    .help = "Removes documents: the first or all that match.",
    .rights = Rights::kWrite,
    .target = Target::kCollection,
    .retryable_write = true,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = remove,
    .explain = explain_remove,
}};

}  // namespace
}  // namespace partita::commands
