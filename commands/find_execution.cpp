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
    : query_(std::move(query)), scan_(store, std::move(collection), std::move(order)), sorted_by_scan_(sorted_by_scan) {}

Status FindExecution::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  if (holding_) {
    fill.add(held_);
    held_ = {};
    holding_ = false;
  }
  if (exhausted_) return {};
  if (!query_.sort.empty() && !sorted_by_scan_) {
    if (!sorted_) CHECK_OK(sort_all(operation));
    return fill_from_sorter(fill);
  }
  if (fill.full()) return {};
  CHECK_OK(scan_.resume());
  Status status = fill_from_scan(operation, fill);
  scan_.suspend();
  return status;
}

Status FindExecution::fill_from_scan(Operation& operation, BatchFill& fill) {
  while (!fill.full()) {
    bson::View document;
    TRY(const bool more, next_match(operation, document));
    if (!more) {
      exhausted_ = true;
      return {};
    }
    if (skipped_ < query_.skip) {
      ++skipped_;
      continue;
    }
    TRY(const bool fitted, emit(fill, document));
    if (query_.limit != 0 && ++returned_ == query_.limit) exhausted_ = true;
    if (!fitted || exhausted_) return {};
  }
  return {};
}

Result<bool> FindExecution::next_match(Operation& operation, bson::View& document) {
  while (true) {
    TRY(const bool more, scan_.next());
    if (!more) return false;
    if (++rows_ % kInterruptInterval == 0) CHECK_OK(operation.check_interrupt());
    if (row_budget_ != 0 && rows_ > row_budget_) return error(Code::LockBusy, "more rows than an io core should read");
    TRY(document, scan_.document());
    const bool matches = query_.matcher.matches_everything() || query_.matcher.matches(document, match_state_);
    if (!match_state_.failure.ok()) return std::move(match_state_.failure);
    matched_ += matches ? 1 : 0;
    if (matches) return true;
  }
}

Status FindExecution::sort_all(Operation& operation) {
  const std::uint64_t limit = query_.limit == 0 ? 0 : query_.limit + query_.skip;
  sorter_.emplace(query_.sort, query::SorterOptions{.limit = limit});
  CHECK_OK(scan_.resume());
  const auto add_all = [&]() -> Status {
    while (true) {
      bson::View document;
      TRY(const bool more, next_match(operation, document));
      if (!more) return {};
      CHECK_OK(sorter_->add(document, scan_.record_key()));
    }
  };
  Status status = add_all();
  scan_.suspend();
  CHECK_OK(std::move(status));
  sorter_->finish();
  sorted_ = true;
  return {};
}

Status FindExecution::fill_from_sorter(BatchFill& fill) {
  while (!fill.full()) {
    query::SortedRow row;
    if (!sorter_->next(row)) {
      exhausted_ = true;
      return {};
    }
    if (skipped_ < query_.skip) {
      ++skipped_;
      continue;
    }
    TRY(const bool fitted, emit(fill, row.document));
    if (query_.limit != 0 && ++returned_ == query_.limit) exhausted_ = true;
    if (!fitted || exhausted_) return {};
  }
  return {};
}

Result<bool> FindExecution::emit(BatchFill& fill, bson::View document) {
  if (query_.projection) {
    projected_.clear();
    arena_.reset();
    bson::Writer out(projected_);
    CHECK_OK(query_.projection->apply(document, out, arena_));
    out.close();
    document = bson::View::trusted(projected_.data());
    CHECK_OK(check_result_size(document.size()));
  }
  if (fill.fits(document.size())) {
    fill.add(document);
    return true;
  }
  held_ = bson::Document(document);
  holding_ = true;
  return false;
}

std::string FindExecution::plan_summary() const {
  if (scan_.order().index != nullptr) {
    return partita::detail::join("IXSCAN ", scan_.order().index->name);
  }
  return scan_.order().ranges.empty() ? "COLLSCAN" : "CLUSTERED_IXSCAN";
}

}  // namespace partita::commands
