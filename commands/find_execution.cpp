// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/find_execution.h"

#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// Rows between two looks at the clock and the client.
constexpr std::int64_t kInterruptInterval = 512;

}  // namespace

FindExecution::FindExecution(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query,
                             shards::ScanOrder order, bool sorted_by_scan)
    : FindRun(std::move(query)), collection_(std::move(collection)), scan_(store, collection_, std::move(order)),
      sorted_by_scan_(sorted_by_scan) {
  if (collection_->partitions.size() > 1) moment_.emplace(store, collection_);
}

Status FindExecution::resume(Operation& operation) {
  scan_.interrupt_by([this, &operation]() -> Status {
    if (budget_.rows != 0) return over_budget();
    CHECK_OK(report());
    return operation.check_interrupt();
  });
  if (!moment_) return scan_.resume();
  shards::LegControl control;
  CHECK_OK(moment_->wake(control));
  return scan_.place(scan_.resume(control.collection, control.time));
}

void FindExecution::suspend() {
  scan_.suspend();
  scan_.interrupt_by({});
  if (moment_) ended() || scan_.exhausted() ? moment_->end() : moment_->rest();
}

Status FindExecution::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  Status status = fill_rows(operation, fill);
  if (budget_.rows != 0 && status.ok()) count_use(scan_.collection(), order());  // A worker has counted before.
  budget_ = {};  // Later batches are a worker's.
  return status;
}

Status FindExecution::fill_rows(Operation& operation, BatchFill& fill) {
  begin(fill);
  if (ended()) return {};
  if (!query().sort.empty() && !sorted_by_scan_) {
    // Rows that lie sorted here are those of a collection that has to be there still.
    CHECK_OK(sorted_ ? shards::CollectionScan::current(operation.server().store, collection_).status() : sort_all(operation));
    return fill_from_sorter(fill);
  }
  if (fill.full()) return {};
  CHECK_OK(resume(operation));
  Status status = fill_from_scan(operation, fill);
  suspend();
  return status;
}

Status FindExecution::fill_from_scan(Operation& operation, BatchFill& fill) {
  while (true) {
    bson::View document;
    TRY(const bool more, next_match(operation, document));
    if (!more) {
      end();
      return {};
    }
    TRY(const bool goes_on, hand_on(fill, document));
    if (!goes_on) return {};
  }
}

Result<bool> FindExecution::next_match(Operation& operation, bson::View& document) {
  while (true) {
    const Result<bool> more = scan_.next();
    if (!more.ok()) [[unlikely]] return scan_.place(more.status());
    if (!*more) return false;
    if (++rows_ % shards::kWalkReportInterval == 0) CHECK_OK(report());
    if (rows_ % kInterruptInterval == 0) CHECK_OK(operation.check_interrupt());
    TRY(document, scan_.document());
    if (budget_.rows != 0) CHECK_OK(check_budget(document));
    const bool matches = query().matcher.matches_everything() || query().matcher.matches(document, match_state_);
    if (!match_state_.failure.ok()) return std::move(match_state_.failure);
    matched_ += matches ? 1 : 0;
    if (matches) return true;
  }
}

Status FindExecution::check_budget(bson::View document) {
  bytes_ += document.size();
  return rows_ > budget_.rows || bytes_ > budget_.bytes ? over_budget() : Status();
}

/// A core leaves it to a worker to give up a plan, and to make another one.
Status FindExecution::report() {
  const std::int64_t keys = scan_.keys_examined();
  if (budget_.rows == 0) return report_.tell(premise().bound(), keys, matched_);
  return premise().is_much_worse(keys, matched_) ? over_budget() : Status();
}

Status FindExecution::over_budget() {
  if (budget_.guess != nullptr) budget_.guess->was_long();
  return error(Code::LockBusy, "more than an io core should read");
}

Status FindExecution::sort_all(Operation& operation) {
  sorter_.emplace(query().sort, sorter_options(operation, 1));
  CHECK_OK(resume(operation));
  const auto add_all = [&]() -> Status {
    while (true) {
      bson::View document;
      TRY(const bool more, next_match(operation, document));
      if (!more) return {};
      CHECK_OK(sorter_->add(document, scan_.record_key()));
    }
  };
  Status status = add_all();
  suspend();
  CHECK_OK(std::move(status));
  CHECK_OK(sorter_->finish());
  sorted_ = true;
  return {};
}

Status FindExecution::fill_from_sorter(BatchFill& fill) {
  while (!fill.full()) {
    query::SortedRow row;
    TRY(const bool more, sorter_->next(row));
    if (!more) {
      end();
      return {};
    }
    TRY(const bool goes_on, hand_on(fill, row.document));
    if (!goes_on) return {};
  }
  return {};
}

}  // namespace partita::commands
