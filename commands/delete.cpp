// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/explain_change.h"
#include "commands/modify.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

struct DeleteRequest {
  Documents deletes;
  bool ordered = true;
  bson::View let;
};

const Arguments<DeleteRequest> kArguments{
    {"deletes", &DeleteRequest::deletes, true},
    {"ordered", &DeleteRequest::ordered},
    {"let", &DeleteRequest::let},
};

Result<DeleteStatement> parse_statement(bson::View document) {
  constexpr std::string_view kCommand = "delete.deletes";
  DeleteStatement statement;
  bool has_q = false;
  std::optional<std::int64_t> limit;
  for (const auto& [name, value] : document) {
    if (name == "q") {
      CHECK_OK(detail::read(statement.filter, value, kCommand, name));
      has_q = true;
    } else if (name == "limit") {
      CHECK_OK(detail::read(limit, value, kCommand, name));
    } else if (name == "hint") {
      statement.hint = value;
    } else if (name == "collation") {
      return error(Code::NotImplemented, "delete.deletes.collation is not supported");
    } else {
      return unknown_field(kCommand, name);
    }
  }
  if (!has_q) return missing_field(kCommand, "q");
  if (!limit) return missing_field(kCommand, "limit");
  if (*limit != 0 && *limit != 1) {
    return error(Code::FailedToParse, "The limit field in delete objects must be 0 or 1. Got ", *limit);
  }
  statement.multi = *limit == 0;
  return statement;
}

Status run_statement(Operation& operation, const shards::Namespace& ns, bson::View document, std::int32_t index,
                     std::int32_t& deleted, std::vector<std::int32_t>& retried) {
  TRY(const DeleteStatement statement, parse_statement(document));
  Outcome outcome;
  CHECK_OK(run_delete(operation, ns, statement, index, outcome));
  deleted += outcome.matched;
  if (outcome.retried) retried.push_back(index);
  return {};
}

Status remove(Operation& operation, bson::Writer& reply) {
  TRY(const DeleteRequest request, kArguments.parse("delete", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  const std::size_t count = request.deletes.count();
  CHECK_OK(check_batch_size(count));
  CHECK_OK(request.deletes.for_each([](bson::View one) { return parse_statement(one).status(); }));
  if (count > 1 && !operation.on_worker()) return operation.to_worker();
  std::int32_t deleted = 0;
  std::int32_t index = 0;
  bool stopped = false;
  std::vector<std::int32_t> retried;
  WriteErrors errors;
  Status status = request.deletes.for_each([&](bson::View document) -> Status {
    if (stopped) return {};
    Status one = run_statement(operation, ns, document, index, deleted, retried);
    if (!one.ok() && ends_command(one.code())) return one;
    if (!one.ok()) {
      errors.add(static_cast<std::size_t>(index), std::move(one));
      stopped = request.ordered;
    }
    ++index;
    return {};
  });
  if (status.code() == Code::LockBusy && !operation.on_worker()) return operation.to_worker();
  CHECK_OK(std::move(status));
  operation.stats().documents.deleted = deleted;
  operation.stats().documents.delete_statements = static_cast<std::int64_t>(count);
  reply.add("n", deleted);
  errors.write(reply);
  write_retried(retried, reply);
  if (operation.generic().write_concern.journaled) operation.await_durability();
  return {};
}

Status explain_remove(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(const DeleteRequest request, kArguments.parse("delete", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (request.deletes.count() != 1) return error(Code::InvalidLength, "explained write batches must be of size 1");
  return request.deletes.for_each([&](bson::View document) -> Status {
    TRY(const DeleteStatement statement, parse_statement(document));
    const Change change{.filter = statement.filter, .hint = statement.hint};
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
    .run = remove,
    .explain = explain_remove,
}};

}  // namespace
}  // namespace partita::commands
