// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/insertion.h"

namespace partita::commands {
namespace {

struct InsertRequest {
  Documents documents;
  bool ordered = true;
  bson::Value statement_number, statement_numbers;
  bool bypass_validation = false;
};

const Arguments<InsertRequest> kArguments{
    {"documents", &InsertRequest::documents, Rule::kRequired},
    {"ordered", &InsertRequest::ordered, Rule::kStrict},
    {"stmtId", &InsertRequest::statement_number},
    {"stmtIds", &InsertRequest::statement_numbers},
    {"bypassDocumentValidation", &InsertRequest::bypass_validation},
};

/// A single document is stored on the spot. More are work for a worker, where nothing has to be given up half-way.
constexpr std::size_t kMaxOnCore = 1;

Status insert(Operation& operation, bson::Writer& reply) {
  TRY(const InsertRequest request, kArguments.parse("insert", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  CHECK_OK(check_batch_size(request.documents.count()));
  if (request.documents.count() > kMaxOnCore && !operation.on_worker()) return operation.to_worker();

  TRY(const StatementNumbers numbers, StatementNumbers::parse("insert", request.statement_number, request.statement_numbers,
                                                              request.documents.count()));
  Insertion insertion(operation, ns);
  CHECK_OK(request.documents.for_each([&](bson::View document) -> Status {
    insertion.add(document, numbers.at(insertion.size()));
    return {};
  }));
  CHECK_OK(insertion.run(request.ordered));

  operation.stats().documents.inserted = insertion.inserted();
  if (is_unacknowledged(operation)) return reply.add("n", 0), Status();
  reply.add("n", insertion.inserted());
  insertion.errors().write(reply);
  write_retried(insertion.retried(), reply);
  return {};
}

const Register kInsert{{
    .name = "insert",
    .help = "Inserts documents into a collection, which is made when it is not there.",
    .rights = Rights::kWrite,
    .target = Target::kCollection,
    .retryable_write = true,
    .takes_write_concern = true,
    .stable_api = true,
    .on_view = {.itself = true},
    .run = insert,
}};

}  // namespace
}  // namespace partita::commands
