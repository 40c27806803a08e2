// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/explain_change.h"
#include "commands/modify.h"
#include "commands/variables.h"
#include "commands/server.h"
#include "commands/shown_documents.h"

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
  if (!request.hint.missing()) CHECK_OK(check_hint(request.hint));
  if (request.array_filters.missing()) return {};
  CHECK_OK(check_array_filters("findAndModify", request.array_filters));
  if (request.remove) return parse_error("Cannot specify arrayFilters and remove=true");
  if (request.update.is_array()) return parse_error("Cannot specify arrayFilters and a pipeline update");
  return {};
}

/// What the client wants to see of the document.
class Fields {
 public:
  static Result<Fields> parse(Operation& operation, const shards::Namespace& ns, const FindAndModifyRequest& request,
                              const Variables& variables) {
    Fields made;
    if (request.fields.empty()) return made;
    TRY(made.filter_, query::Matcher::parse(request.query, variables.context(), query::FilterUse::kQuery));
    const query::FilterTree& filter = made.filter_->tree();
    query::ExpressionContext context = variables.beside(filter);
    context.beside = made.shown_.beside = std::make_shared<FoundMeta>(FoundMeta::Knows{.near = filter.near != nullptr});
    TRY(made.shown_.projection, query::Projection::parse_for_find(request.fields, context));
    CHECK_OK(check(*made.shown_.projection, request));
    CHECK_OK(check_positional(*made.shown_.projection, filter));
    if (made.shown_.wants_metadata()) {
      auto collection = operation.server().store.catalog().snapshot().share(ns.full());
      made.shown_.know(std::make_unique<FindMetadata>(std::move(collection), query::SortSpec(), nullptr, &filter));
    }
    return made;
  }

  bool all() const { return shown_.as_they_are(); }
  Status add(bson::View document, bson::Writer& out) const {
    ShownDocuments::Scratch scratch;
    return shown_.add(document, &*filter_, out, scratch);
  }
  Status write_value(const Outcome& outcome, bson::Writer& reply) const {
    if (!outcome.has_value) return reply.null("value"), Status();
    if (all()) return reply.add("value", outcome.value.view()), Status();
    bson::Writer value = reply.document("value");
    return add(outcome.value.view(), value);
  }

 private:
  static Status check(const query::Projection& projection, const FindAndModifyRequest& request) {
    if (projection.is_positional() && request.return_new) {
      return error(Code::BadValue, "cannot use a positional projection and return the new document");
    }
    if (!projection.asks_for(query::Meta::kSortKey)) return {};
    return error(Code::BadValue, "Cannot use a $meta sortKey projection in findAndModify commands.");
  }

  ShownDocuments shown_;
  std::optional<query::Matcher> filter_;  ///< There when something is to be shown.
};

Status find_and_modify(Operation& operation, bson::Writer& reply) {
  TRY(FindAndModifyRequest request, kArguments.parse("findAndModify", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  if (ns.is_system()) return error(Code::InvalidNamespace, "cannot write to ", ns.full());
  CHECK_OK(check_no_config_view(ns));
  CHECK_OK(check(request));
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  TRY(const query::Collation order, collation_for(operation, request.collation, ns));
  TRY(const Variables variables, Variables::of(operation, request.let, order));
  std::optional<query::Update> update;
  if (!request.remove) {
    TRY(update, query::Update::parse(request.update, {.array_filters = request.array_filters, .expressions = &variables.context()}));
  }
  TRY(const Fields fields, Fields::parse(operation, ns, request, variables));
  Change change{.filter = request.query,
                .update = update ? &*update : nullptr,
                .image = request.return_new ? Image::kAfter : Image::kBefore,
                .upsert = request.upsert,
                .hint = request.hint,
                .context = &variables.context()};
  if (!fields.all()) change.shown = [&fields](bson::View document, bson::Writer& out) { return fields.add(document, out); };
  TRY(change.sort, parse_sort(request.sort, request.query, variables.context()));
  TRY(const StatementNumbers numbers, StatementNumbers::parse("findAndModify", request.statement_number, {}, 1));
  Outcome outcome;
  CHECK_OK(change_first(operation, ns, change, statement_id(operation, numbers.at(0)), outcome));
  (request.remove ? operation.stats().documents.deleted : operation.stats().documents.updated) = request.remove ? outcome.matched : outcome.modified;
  {
    bson::Writer last = reply.document("lastErrorObject");
    last.add("n", outcome.matched);
    if (!request.remove) last.add("updatedExisting", outcome.matched > 0 && outcome.upserted.view().empty());
    if (!outcome.upserted.view().empty()) last.add("upserted", outcome.upserted["_id"]);
  }
  CHECK_OK(fields.write_value(outcome, reply));
  if (outcome.retried) reply.add("retriedStmtId", numbers.at(0));
  return {};
}

Status explain_find_and_modify(Operation& operation, Verbosity verbosity, bson::Writer& reply) {
  TRY(FindAndModifyRequest request, kArguments.parse("findAndModify", operation.request()));
  TRY(const shards::Namespace ns, operation.target_namespace());
  CHECK_OK(check(request));
  CHECK_OK(settle_natural_sort(request.sort, request.hint));
  TRY(const query::Collation order, collation_for(operation, request.collation, ns));
  TRY(const Variables variables, Variables::of(operation, request.let, order));
  std::optional<query::Update> update;
  if (!request.remove) {
    TRY(update, query::Update::parse(request.update, {.array_filters = request.array_filters, .expressions = &variables.context()}));
  }
  const Change change{.filter = request.query,
                      .update = update ? &*update : nullptr,
                      .image = Image::kBefore,
                      .upsert = request.upsert,
                      .hint = request.hint,
                      .context = &variables.context()};
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
