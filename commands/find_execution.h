// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/find_run.h"
#include "commands/walk_length.h"
#include "shards/router/leg_moment.h"

namespace partita::commands {

/// Answers a find in one thread, one partition after the other: walks over the collection, filters, sorts if it must, and
/// writes what is left straight from the engine's pages into the reply.
class FindExecution final : public FindRun {
 public:
  FindExecution(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query,
                shards::ScanOrder order, bool sorted_by_scan);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  std::size_t memory() const override { return (sorter_ ? sorter_->memory() : 0) + held_memory(); }
  std::int64_t keys_examined() const override { return scan_.keys_examined(); }
  std::int64_t documents_examined() const override { return scan_.documents_examined(); }
  std::int64_t matched() const override { return matched_; }
  bool scanned_to_the_end() const override { return scan_.exhausted(); }
  std::vector<query::WalkFigures> branches() const override { return scan_.branches(); }
  query::SortFigures sorted() const override { return sorter_ ? sorter_->figures() : query::SortFigures(); }
  /// On an io core: gives up with LockBusy when the first batch takes more than this, for a worker to begin anew.
  struct Budget {
    std::int64_t rows = 0;   ///< 0: no budget at all.
    std::size_t bytes = 0;
    WalkLength* guess = nullptr;  ///< Is told that the walk was long.
  };
  void set_budget(const Budget& budget) { budget_ = budget; }

 private:
  Status fill_rows(Operation& operation, BatchFill& fill);
  Status fill_from_scan(Operation& operation, BatchFill& fill);
  Status fill_from_sorter(BatchFill& fill);
  Status sort_all(Operation& operation);
  Status resume(Operation& operation);
  void suspend();
  Result<bool> next_match(Operation& operation, bson::View& document);
  Status check_budget(bson::View document);
  Status over_budget();
  Status report();
  const shards::ScanOrder& order() const override { return scan_.order(); }

  const std::shared_ptr<const shards::Collection> collection_;  ///< As it was.
  shards::CollectionScan scan_;
  /// All batches of a walk over several partitions see the same, as they would if these were read side by side.
  std::optional<shards::LegMoment> moment_;
  const bool sorted_by_scan_;
  std::optional<query::Sorter> sorter_;
  bool sorted_ = false;
  Budget budget_;
  std::size_t bytes_ = 0;  ///< Counted where there is a budget.
  std::int64_t rows_ = 0;
  std::int64_t matched_ = 0;
  shards::WalkReport report_;
  query::MatchState match_state_;
};

}  // namespace partita::commands
