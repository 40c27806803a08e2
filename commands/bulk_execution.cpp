// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/bulk_write.h"
#include "commands/insertion.h"
#include "commands/profiler/statement_notes.h"

namespace partita::commands {

Status BulkExecution::run() {
  for (std::size_t at = 0; at < operations_.size() && !stopped();) {
    TRY(at, run_from(at));
    CHECK_OK(operation_.check_interrupt());
  }
  return {};
}

Result<std::size_t> BulkExecution::run_from(std::size_t at) {
  const auto& statement = operations_[at].statement;
  if (operations_[at].insert() != nullptr) return run_inserts(at);
  if (const auto* update = std::get_if<UpdateStatement>(&statement)) CHECK_OK(run_one(at, *update));
  if (const auto* remove = std::get_if<DeleteStatement>(&statement)) CHECK_OK(run_one(at, *remove));
  return at + 1;
}

Result<std::size_t> BulkExecution::run_inserts(std::size_t at) {
  const std::size_t ns = operations_[at].ns;
  Insertion insertion(operation_, namespaces_[ns]);
  for (std::size_t i = at; i < operations_.size(); ++i) {
    const InsertStatement* insert = operations_[i].insert();
    if (insert == nullptr || operations_[i].ns != ns) break;
    insertion.add(insert->document, options_.numbers.at(i));
  }
  StatementNote note(operation_, namespaces_[ns]);
  CHECK_OK(insertion.run(options_.ordered));
  note.end_inserts(insertion.inserted());
  counts_.inserted += insertion.inserted();
  retried_.insert(retried_.end(), insertion.retried().begin(), insertion.retried().end());
  auto failed = insertion.errors().all().begin();
  const auto last_failed = insertion.errors().all().end();
  for (std::size_t i = 0; i < insertion.size() && !stopped(); ++i) {
    if (failed != last_failed && failed->index == i) {
      add_failure(at + i, failed->status, false);
      ++failed;
    } else {
      Outcome inserted;
      inserted.matched = 1;
      add_success(at + i, inserted, false);
    }
  }
  return at + insertion.size();
}

Status BulkExecution::run_one(std::size_t at, const UpdateStatement& statement) {
  Outcome outcome;
  Status status = run_update(operation_, namespaces_[operations_[at].ns], statement, options_.context, options_.numbers.at(at),
                             options_.errors_only ? SIZE_MAX : room_.left(), outcome);
  if (!status.ok()) {
    if (ends_command(status.code())) return status;
    add_failure(at, status, true);
    return {};
  }
  const bool upserted = !outcome.upserted.view().empty();
  counts_.upserted += upserted ? 1 : 0;
  counts_.matched += upserted ? 0 : outcome.matched;
  counts_.modified += outcome.modified;
  if (outcome.retried) retried_.push_back(options_.numbers.at(at));
  add_success(at, outcome, true);
  return {};
}

Status BulkExecution::run_one(std::size_t at, const DeleteStatement& statement) {
  Outcome outcome;
  Status status = run_delete(operation_, namespaces_[operations_[at].ns], statement, options_.context, options_.numbers.at(at), outcome);
  if (!status.ok()) {
    if (ends_command(status.code())) return status;
    add_failure(at, status, false);
    return {};
  }
  counts_.deleted += outcome.matched;
  if (outcome.retried) retried_.push_back(options_.numbers.at(at));
  add_success(at, outcome, false);
  return {};
}

void BulkExecution::add_failure(std::size_t at, const Status& status, bool is_update) {
  ++counts_.errors;
  const bool with_text = room_.take_text(status);
  results_.push_back(bson::Document::build([&](bson::Writer& result) {
    result.add("ok", 0.0);
    result.add("idx", static_cast<std::int32_t>(at));
    write_error(with_text ? status : error(status.code(), ""), result);
    result.add("n", std::int32_t{0});
    if (is_update) result.add("nModified", std::int32_t{0});
  }));
}

void BulkExecution::add_success(std::size_t at, const Outcome& outcome, bool is_update) {
  if (options_.errors_only) return;
  if (!outcome.upserted.view().empty()) room_.take(outcome.upserted.view().size());
  results_.push_back(bson::Document::build([&](bson::Writer& result) {
    result.add("ok", 1.0);
    result.add("idx", static_cast<std::int32_t>(at));
    result.add("n", outcome.matched);
    if (is_update) result.add("nModified", outcome.modified);
    if (!outcome.upserted.view().empty()) result.add("upserted", outcome.upserted.view());
  }));
}

}  // namespace partita::commands
