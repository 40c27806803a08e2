// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/statement_notes.h"

#include <algorithm>

#include "commands/client_connection.h"
#include "commands/plan_summary.h"
#include "commands/profiler/profile_document.h"
#include "commands/server.h"
#include "commands/shown_operation.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {

using bson::add_number;

StatementNote::StatementNote(Operation& operation, const shards::Namespace& ns) : operation_(operation), ns_(ns) {
  if (!operation.watched()) [[likely]] return;
  begun_ = std::chrono::steady_clock::now();
  keys_ = operation.stats().documents.keys_examined;
  documents_ = operation.stats().documents.docs_examined;
  operation.stats().plan_summary.clear();
}

void StatementNote::end(const UpdateStatement& statement, const Status& status, const Outcome& outcome) {
  if (!operation_.watched()) [[likely]] return;
  const auto counts = [&](bson::Writer& out) {
    const bool upserted = !outcome.upserted.view().empty();
    add_number(out, "nMatched", upserted ? 0 : outcome.matched);
    add_number(out, "nModified", outcome.modified);
    add_number(out, "nUpserted", upserted ? 1 : 0);
  };
  const auto command = [&](bson::Writer& out) {
    out.add("q", statement.filter);
    out.add("u", statement.update);
    if (!statement.constants.empty()) out.add("c", statement.constants);
    if (!statement.array_filters.missing()) out.add("arrayFilters", statement.array_filters);
    if (!statement.hint.missing()) out.add("hint", statement.hint);
    if (!statement.sort.empty()) out.add("sort", statement.sort);
    if (!statement.collation.empty()) out.add("collation", statement.collation);
    out.add("multi", statement.multi);
    out.add("upsert", statement.upsert);
  };
  const std::int64_t matched = outcome.upserted.view().empty() ? outcome.matched : 0;
  offer({"update", "update", "updates", matched, outcome.modified}, status, command, counts);
}

void StatementNote::end(const DeleteStatement& statement, const Status& status, const Outcome& outcome) {
  if (!operation_.watched()) [[likely]] return;
  const auto command = [&](bson::Writer& out) {
    out.add("q", statement.filter);
    if (!statement.hint.missing()) out.add("hint", statement.hint);
    if (!statement.collation.empty()) out.add("collation", statement.collation);
    out.add("limit", statement.multi ? 0 : 1);
  };
  offer({"remove", "delete", "deletes", outcome.matched}, status, command, [&](bson::Writer& out) { add_number(out, "ndeleted", outcome.matched); });
}

void StatementNote::end_inserts(std::int64_t inserted) {
  if (!operation_.watched()) [[likely]] return;
  const auto command = [&](bson::Writer& out) { out.add("insert", ns_.collection()); };
  offer({"insert"}, {}, command, [&](bson::Writer& out) { add_number(out, "ninserted", inserted); });
}

/// The statement as a command of its own; empty for inserts.
bson::Document StatementNote::alone(const Kind& kind, bson::View statement) const {
  if (kind.command.empty()) return {};
  return bson::Document::build([&](bson::Writer& out) {
    out.add(kind.command, ns_.collection());
    out.array(kind.list).push(statement);
    out.add("$db", ns_.db());
  });
}

void StatementNote::offer(const Kind& kind, const Status& status, const Fields& command, const Fields& counts) {
  if (status.code() == Code::LockBusy && !operation_.on_worker()) return;  // It is done again there.
  OperationStats& stats = operation_.stats();
  const auto took = std::chrono::steady_clock::now() - begun_;
  const auto document = [&] {
    const bson::Document told = bson::Document::build(command);
    const bson::Document planned = status.ok() ? alone(kind, told.view()) : bson::Document();
    const ProfilePlan plan(operation_, planned.view(), stats.plan_summary);
    ProfilePlan::Walked walked{.keys = std::max<std::int64_t>(0, keys_examined(stats) - keys_),
                               .documents = stats.documents.docs_examined - documents_,
                               .used = kind.used,
                               .modified = kind.modified};
    walked.millis = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    return bson::Document::build([&](bson::Writer& out) {
      out.add("op", kind.op);
      out.add("ns", ns_.full());
      out.add("command", shown_command(told.view()).view());
      if (!stats.plan_summary.empty()) {
        add_number(out, "keysExamined", walked.keys);
        add_number(out, "docsExamined", walked.documents);
      }
      write_profile_replanned(operation_, out);
      if (status.ok()) counts(out);
      out.add("numYield", std::int32_t{0});
      plan.write_hashes(out);
      out.document("locks").close();
      write_profile_failure(status, out);
      write_profile_end({operation_.client(), took, stats.plan_summary, &plan, walked}, out);
    });
  };
  stats.told_statements = true;
  if (operation_.server().profiler.offer(ns_.db(), took, document)) stats.logs_statements = true;
}

}  // namespace partita::commands
