// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/execution.h"
#include "query/match/matcher.h"
#include "query/projection/projection.h"
#include "query/sort/sorter.h"
#include "shards/router/collection_scan.h"

namespace partita::commands {

/// What a find asks for, parsed.
struct FindQuery {
  query::Matcher matcher;
  std::optional<query::Projection> projection;
  query::SortSpec sort;
  std::uint64_t skip = 0;
  std::uint64_t limit = 0;  ///< 0: all.
};

/// Answers a find: walks over the collection, filters, sorts if it must, and writes what is left straight from the
/// engine's pages into the reply.
class FindExecution final : public Execution {
 public:
  FindExecution(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query,
                shards::ScanOrder order, bool sorted_by_scan);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  bool exhausted() const override { return exhausted_ && !holding_; }
  std::size_t memory() const override {
    return (sorter_ ? sorter_->memory() : 0) + (holding_ ? held_.view().size() : 0);
  }
  std::string plan_summary() const override;
  std::int64_t keys_examined() const override { return scan_.keys_examined(); }
  std::int64_t documents_examined() const override { return scan_.documents_examined(); }
  /// For explain: documents that passed the filter, that `skip` left out, and whether the walk came to its end.
  std::int64_t matched() const { return matched_; }
  std::int64_t skipped() const { return static_cast<std::int64_t>(skipped_); }
  bool scanned_to_the_end() const { return scan_.exhausted(); }
  /// On an io core: gives up with LockBusy after so many rows, for a worker to begin anew.
  void set_row_budget(std::int64_t rows) { row_budget_ = rows; }

 private:
  Status fill_from_scan(Operation& operation, BatchFill& fill);
  Status fill_from_sorter(BatchFill& fill);
  Status sort_all(Operation& operation);
  Result<bool> next_match(Operation& operation, bson::View& document);
  /// False when it does not fit any more.
  Result<bool> emit(BatchFill& fill, bson::View document);

  FindQuery query_;
  shards::CollectionScan scan_;
  const bool sorted_by_scan_;
  std::optional<query::Sorter> sorter_;
  bool sorted_ = false;
  std::uint64_t skipped_ = 0;
  std::uint64_t returned_ = 0;
  bool exhausted_ = false;
  std::int64_t row_budget_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t matched_ = 0;
  query::MatchState match_state_;
  query::Arena arena_;
  bson::Buffer projected_;
  bson::Document held_;  ///< A document that did not fit into the last batch.
  bool holding_ = false;
};

}  // namespace partita::commands
