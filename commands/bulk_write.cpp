// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/bulk_write.h"

#include <numeric>

#include "commands/cursor_reply.h"

namespace partita::commands {
namespace {

struct BulkWriteRequest {
  Documents ops;
  Documents ns_info;
  bool ordered = true;
  bool errors_only = false;
  bool bypass_validation = false;
  bson::View let;
  bson::Value cursor;
  std::optional<std::int64_t> first_statement;
  bson::Value statements;
};

const Arguments<BulkWriteRequest> kArguments{
    {"ops", &BulkWriteRequest::ops, true},
    {"nsInfo", &BulkWriteRequest::ns_info, true},
    {"ordered", &BulkWriteRequest::ordered},
    {"errorsOnly", &BulkWriteRequest::errors_only},
    {"bypassDocumentValidation", &BulkWriteRequest::bypass_validation},
    {"let", &BulkWriteRequest::let},
    {"cursor", &BulkWriteRequest::cursor},
    {"stmtId", &BulkWriteRequest::first_statement},
    {"stmtIds", &BulkWriteRequest::statements},
};

/// Statements are numbered from stmtId on, or one by one, or from 0 on.
Result<std::vector<std::int32_t>> number_statements(const BulkWriteRequest& request, std::size_t count) {
  std::vector<std::int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int32_t>(request.first_statement.value_or(0)));
  if (request.statements.missing()) return numbers;
  if (request.first_statement) return error(Code::InvalidOptions, "May not specify both stmtId and stmtIds in bulkWrite command.");
  if (!request.statements.is_array()) return wrong_type("bulkWrite", "stmtIds", request.statements, "array");
  const bson::View given = request.statements.as_document();
  if (given.count() != count) {
    return error(Code::InvalidLength, "Number of statement ids must match the number of batch entries. Got ", given.count(),
                 " statement ids but ", count, " operations.");
  }
  std::size_t place = 0;
  for (const bson::Field& one : given) {
    CHECK_OK(detail::read(numbers[place++], one.value, "bulkWrite.stmtIds", one.name));
  }
  return numbers;
}

/// All results that fit into one reply, when the client says nothing of how many it wants.
Result<BatchLimits> parse_limits(bson::Value cursor) {
  TRY(BatchLimits limits, parse_cursor_argument("bulkWrite", cursor));
  if (cursor.missing() || !cursor.as_document().has("batchSize")) limits.documents = INT64_MAX;
  return limits;
}

void write_counts(const BulkCounts& counts, bson::Writer& reply) {
  reply.add("nErrors", counts.errors);
  reply.add("nInserted", counts.inserted);
  reply.add("nMatched", counts.matched);
  reply.add("nModified", counts.modified);
  reply.add("nUpserted", counts.upserted);
  reply.add("nDeleted", counts.deleted);
}

void count_documents(const BulkCounts& counts, DocumentCounts& documents) {
  documents.inserted = counts.inserted;
  documents.updated = counts.modified;
  documents.deleted = counts.deleted;
}

Status bulk_write(Operation& operation, bson::Writer& reply) {
  TRY(const BulkWriteRequest request, kArguments.parse("bulkWrite", operation.request()));
  TRY(const BatchLimits limits, parse_limits(request.cursor));
  TRY(const auto namespaces, parse_namespaces(request.ns_info));
  TRY(const auto operations, parse_operations(request.ops, namespaces.size()));
  BulkExecution::Options options{.ordered = request.ordered, .errors_only = request.errors_only};
  TRY(options.statements, number_statements(request, operations.size()));

  BulkExecution execution(operation, namespaces, operations, options);
  CHECK_OK(execution.run());
  count_documents(execution.counts(), operation.stats().documents);
  const shards::Namespace ns(operation.db(), "$cmd.bulkWrite");
  CHECK_OK(answer_documents(operation, ns, execution.take_results(), limits, reply));
  write_counts(execution.counts(), reply);
  if (!execution.retried().empty()) {
    bson::ArrayWriter retried = reply.array("retriedStmtIds");
    for (const std::int32_t number : execution.retried()) retried.push(number);
  }
  if (operation.generic().write_concern.journaled) operation.await_durability();
  return {};
}

const Register kBulkWrite{{
    .name = "bulkWrite",
    .help = "Inserts, updates and deletes in several collections, in one go.",
    .where = Where::kWorker,
    .rights = Rights::kWrite,
    .target = Target::kAdmin,
    .retryable_write = true,
    .run = bulk_write,
}};

}  // namespace
}  // namespace partita::commands
