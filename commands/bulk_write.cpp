// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/bulk_write.h"

#include <algorithm>

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
  bson::Value statement_number, statement_numbers;
};

const Arguments<BulkWriteRequest> kArguments{
    {"ops", &BulkWriteRequest::ops, Rule::kRequired},
    {"nsInfo", &BulkWriteRequest::ns_info, Rule::kRequired},
    {"ordered", &BulkWriteRequest::ordered, Rule::kStrict},
    {"errorsOnly", &BulkWriteRequest::errors_only, Rule::kStrict},
    {"bypassDocumentValidation", &BulkWriteRequest::bypass_validation},
    {"let", &BulkWriteRequest::let},
    {"cursor", &BulkWriteRequest::cursor},
    {"stmtId", &BulkWriteRequest::statement_number},
    {"stmtIds", &BulkWriteRequest::statement_numbers},
};

/// All results that fit into one reply, when the client says nothing of how many it wants.
Result<BatchLimits> parse_limits(bson::Value cursor) {
  TRY(BatchLimits limits, parse_cursor_argument("bulkWrite", cursor));
  if (!cursor.is_document() || !cursor.as_document().has("batchSize")) limits.documents = INT64_MAX;
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

template <class Statement>
std::int64_t count_of(const std::vector<BulkOperation>& operations) {
  return std::ranges::count_if(operations, [](const BulkOperation& operation) {
    return std::holds_alternative<Statement>(operation.statement);
  });
}

void count_documents(const BulkCounts& counts, const std::vector<BulkOperation>& operations, DocumentCounts& documents) {
  documents.inserted = counts.inserted;
  documents.updated = counts.modified;
  documents.deleted = counts.deleted;
  documents.update_statements = count_of<UpdateStatement>(operations);
  documents.delete_statements = count_of<DeleteStatement>(operations);
}

Status bulk_write(Operation& operation, bson::Writer& reply) {
  TRY(const BulkWriteRequest request, kArguments.parse("bulkWrite", operation.request()));
  TRY(const Variables variables, Variables::of(operation, request.let));
  TRY(const BatchLimits limits, parse_limits(request.cursor));
  TRY(const auto namespaces, parse_namespaces(request.ns_info));
  TRY(const auto operations, parse_operations(request.ops, namespaces.size()));
  BulkExecution::Options options{.context = variables.context(), .ordered = request.ordered, .errors_only = request.errors_only};
  TRY(options.numbers, StatementNumbers::parse("bulkWrite", request.statement_number, request.statement_numbers, operations.size()));

  BulkExecution execution(operation, namespaces, operations, options);
  CHECK_OK(execution.run());
  count_documents(execution.counts(), operations, operation.stats().documents);
  const shards::Namespace ns(operation.db(), "$cmd.bulkWrite");
  CHECK_OK(answer_documents(operation, ns, execution.take_results(), limits, reply));
  write_counts(execution.counts(), reply);
  write_retried(execution.retried(), reply);
  return {};
}

const Register kBulkWrite{{
    .name = "bulkWrite",
    .help = "Inserts, updates and deletes in several collections, in one go.",
    .where = Where::kWorker,
    .rights = Rights::kWrite,
    .target = Target::kAdmin,
    .retryable_write = true,
    .takes_write_concern = true,
    .stable_api = true,
    .run = bulk_write,
}};

}  // namespace
}  // namespace partita::commands
