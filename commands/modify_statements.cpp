// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/collation.h"
#include "commands/config_views.h"
#include "commands/modify.h"
#include "commands/profiler/statement_notes.h"
#include "commands/server.h"
#include "commands/sharding/config_writes.h"
#include "shards/store.h"

namespace partita::commands {

Status check_array_filters(std::string_view command, bson::Value filters) {
  CHECK_OK(check_array(command, "arrayFilters", filters));
  for (const auto& [place, filter] : filters.as_document()) {
    if (!filter.is_document() && !filter.is_null()) return wrong_type(command, "arrayFilters." + std::string(place), filter, "object");
  }
  return {};
}

Result<bool> UpdateStatement::read_option(std::string_view command, std::string_view name, bson::Value value) {
  if (name == "multi" || name == "upsert") {
    CHECK_OK(detail::check_bool(value, command, name));
    CHECK_OK(detail::read(name == "multi" ? multi : upsert, value, command, name));
  } else if (name == "hint") {
    CHECK_OK(check_hint_type(value));
    hint = value;
  } else if (name == "arrayFilters") {
    CHECK_OK(check_array_filters(command, value));
    array_filters = value;
  } else if (name == "sort") {
    CHECK_OK(detail::read(sort, value, command, name));
  } else {
    return false;
  }
  return true;
}

Result<query::Update> UpdateStatement::parse_update(const query::ExpressionContext& expressions) const {
  if (has_constants && update.is_document()) return error(Code{51198}, "Constant values may only be specified for pipeline updates");
  const query::UpdateOptions options{.array_filters = array_filters, .constants = constants, .expressions = &expressions};
  TRY(query::Update parsed, query::Update::parse(update, options));
  if (multi && parsed.is_replacement()) {
    return error(Code::FailedToParse, "multi update is not supported for replacement-style update");
  }
  return parsed;
}

Status UpdateStatement::choose_by_sort(Change& change) const {
  if (sort.empty()) return {};
  if (multi) return error(Code::FailedToParse, "Cannot specify sort with multi=true");
  bson::View order = sort;
  CHECK_OK(settle_natural_sort(order, change.hint));
  TRY(change.sort, parse_sort(order, filter, change.expression_context()));
  return {};
}

Result<StatementContext> StatementContext::of(Operation& operation, const shards::Namespace& ns, bson::View collation,
                                              const query::ExpressionContext& shared) {
  StatementContext made;
  made.shared_ = &shared;
  TRY(query::Collation own, collation_for(operation, collation, ns));
  if (own == nullptr) return made;
  made.own_ = shared;
  made.own_->collation = std::move(own);
  return made;
}

namespace {

Status do_update(Operation& operation, const shards::Namespace& ns, const UpdateStatement& statement,
                 const query::ExpressionContext& shared, std::int32_t number, std::size_t reply_room, Outcome& outcome) {
  TRY(const StatementContext context, StatementContext::of(operation, ns, statement.collation, shared));
  TRY(const query::Update update, statement.parse_update(context.get()));
  if (statement.multi && operation.generic().transaction) {
    return error(Code::InvalidOptions, "Cannot use retryable writes with multi=true");
  }
  Change change{.filter = statement.filter, .update = &update, .multi = statement.multi, .upsert = statement.upsert,
                .hint = statement.hint, .context = &context.get(), .reply_room = reply_room};
  CHECK_OK(statement.choose_by_sort(change));
  if (!statement.hint.missing()) CHECK_OK(check_hint(statement.hint));
  if (is_config_view(ns)) return update_config_view(operation, ns, change, outcome);
  CHECK_OK(operation.server().store.catalog().snapshot().check_no_view(ns));
  CHECK_OK(statement.multi ? change_all(operation, ns, change, outcome)
                           : change_first(operation, ns, change, statement_id(operation, number), outcome));
  return check_reply_room(outcome.upserted.view(), reply_room);  // It may be an earlier sending's.
}

Status do_delete(Operation& operation, const shards::Namespace& ns, const DeleteStatement& statement,
                 const query::ExpressionContext& shared, std::int32_t number, Outcome& outcome) {
  TRY(const StatementContext context, StatementContext::of(operation, ns, statement.collation, shared));
  if (statement.multi && operation.generic().transaction) {
    return error(Code::InvalidOptions, "Cannot use retryable writes with limit=0");
  }
  if (!statement.hint.missing()) CHECK_OK(check_hint(statement.hint));
  CHECK_OK(check_no_config_view(ns));
  CHECK_OK(operation.server().store.catalog().snapshot().check_no_view(ns));
  const Change change{.filter = statement.filter, .hint = statement.hint, .context = &context.get()};
  return statement.multi ? change_all(operation, ns, change, outcome)
                         : change_first(operation, ns, change, statement_id(operation, number), outcome);
}

}  // namespace

Status run_update(Operation& operation, const shards::Namespace& ns, const UpdateStatement& statement,
                  const query::ExpressionContext& shared, std::int32_t number, std::size_t reply_room, Outcome& outcome) {
  StatementNote note(operation, ns);
  Status status = do_update(operation, ns, statement, shared, number, reply_room, outcome);
  note.end(statement, status, outcome);
  return status;
}

Status run_delete(Operation& operation, const shards::Namespace& ns, const DeleteStatement& statement,
                  const query::ExpressionContext& shared, std::int32_t number, Outcome& outcome) {
  StatementNote note(operation, ns);
  Status status = do_delete(operation, ns, statement, shared, number, outcome);
  note.end(statement, status, outcome);
  return status;
}

}  // namespace partita::commands
