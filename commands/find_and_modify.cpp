// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/config_views.h"
#include "commands/explain_change.h"
#include "commands/modify.h"
#include "commands/server.h"
#include "query/projection/projection.h"

namespace partita::commands {
namespace {

struct FindAndModifyRequest {
  bson::View query, sort, fields, collation, let;
  bson::Value update, hint, array_filters, statement_number;
  bool remove = false;
  bool return_new = false;
  bool upsert = false;
  bool bypass_validation = false;
};

const Arguments<FindAndModifyRequest> kArguments{
    {"query", &FindAndModifyRequest::query},
    {"sort", &FindAndModifyRequest::sort},
    {"fields", &FindAndModifyRequest::fields},
    {"update", &FindAndModifyRequest::update},
    {"remove", &FindAndModifyRequest::remove},
    {"new", &FindAndModifyRequest::return_new},
    {"upsert", &FindAndModifyRequest::upsert},
    {"hint", &FindAndModifyRequest::hint},
    {"stmtId", &FindAndModifyRequest::statement_number},
    {"let", &FindAndModifyRequest::let},
    {"collation", &FindAndModifyRequest::collation},
    {"arrayFilters", &FindAndModifyRequest::array_filters},
    {"bypassDocumentValidation", &FindAndModifyRequest::bypass_validation},
};

Status check(const FindAndModifyRequest& request) {
  const auto parse_error = [](std::string_view text) { return error(Code::FailedToParse, text); };
  if (request.remove && !request.update.missing()) return parse_error("Cannot specify both an update and remove=true");
  if (!request.remove && request.update.missing()) return parse_error("Either an update or remove=true must be specified");
  if (request.remove && request.upsert) return parse_error("Cannot specify both upsert=true and remove=true ");
  if (request.remove && request.return_new) {
    return parse_error("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
  }
  if (!request.collation.empty()) return error(Code::NotImplemented, "findAndModify.collation is not supported");
  CHECK_OK(refuse_variables("findAndModify", request.let));
  const bson::Value filters = request.array_filters;
  if (filters.missing()) return {};
  CHECK_OK(check_array("findAndModify", "arrayFilters", filters));
  if (!filters.as_document().empty()) return error(Code::NotImplemented, "findAndModify.arrayFilters is not supported");
  return {};
}

Status write_value(const Outcome& outcome, const std::optional<query::Projection>& projection, bson::Writer& reply) {
  if (!outcome.has_value) {
    reply.null("value");
    return {};
  }
  if (!projection) {
    reply.add("value", outcome.value.view());
    return {};
  }
  query::Arena arena;
  bson::Writer value = reply.document("value");
  return projection->apply(outcome.value, value, arena);
}

Status find_and_modify(Operation& operation, bson::Writer& reply) {
  TRY(FindAndModifyRequest request, kArguments.parse("findAndModify", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  CHECK_OK(check_no_config_view(ns));
  CHECK_OK(check(request));
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  std::optional<query::Update> update;
  if (!request.remove) {
    TRY(update, query::Update::parse(request.update));
  }
  std::optional<query::Projection> projection;
  if (!request.fields.empty()) {
    TRY(projection, query::Projection::parse(request.fields));
  }
  Change change{.filter = request.query,
                .update = update ? &*update : nullptr,
                .image = request.return_new ? Image::kAfter : Image::kBefore,
                .shown = projection ? &*projection : nullptr,
                .upsert = request.upsert,
                .hint = request.hint};
  TRY(change.sort, query::SortSpec::parse(request.sort));
  TRY(const StatementNumbers numbers, StatementNumbers::parse("findAndModify", request.statement_number, {}, 1));
  Outcome outcome;
  CHECK_OK(change_first(operation, ns, change, statement_id(operation, numbers.at(0)), outcome));
  {
    bson::Writer last = reply.document("lastErrorObject");
    last.add("n", outcome.matched);
    if (!request.remove) last.add("updatedExisting", outcome.matched > 0 && outcome.upserted.view().empty());
    if (!outcome.upserted.view().empty()) last.add("upserted", outcome.upserted["_id"]);
  }
  CHECK_OK(write_value(outcome, projection, reply));
  if (outcome.retried) reply.add("retriedStmtId", numbers.at(0));
  return {};
}

Status explain_find_and_modify(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(FindAndModifyRequest request, kArguments.parse("findAndModify", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(check(request));
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  std::optional<query::Update> update;
  if (!request.remove) {
    TRY(update, query::Update::parse(request.update));
  }
  const Change change{.filter = request.query,
                      .update = update ? &*update : nullptr,
                      .image = Image::kBefore,
                      .upsert = request.upsert,
                      .hint = request.hint};
  const query::ExplainRequest shown{
      .filter = request.query, .sort = request.sort, .projection = request.fields, .limit = 1};
  return explain_change(operation, ns, change, shown, verbosity, reply);
}

const Register kFindAndModify{{
    .name = "findAndModify",
    .aliases = {"findandmodify"},
    .help = "Changes or removes one document and answers with what it was or has become.",
    .rights = Rights::kWrite,
    .target = Target::kCollection,
    .retryable_write = true,
    .takes_write_concern = true,
    .stable_api = true,
    .run = find_and_modify,
    .explain = explain_find_and_modify,
}};

}  // namespace
}  // namespace partita::commands
