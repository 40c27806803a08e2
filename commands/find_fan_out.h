// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/find_run.h"
#include "commands/parallelism.h"
#include "commands/plan.h"
#include "shards/router/each_leg.h"
#include "shards/router/leg_moment.h"

namespace partita::commands {

/// Answers a find over several partitions, side by side where that is worth while. Where rows come in the order that is
/// wanted, one leg after the other or merged, they stream; else every thread sorts the rows of the legs that it takes, and
/// what they have sorted is merged.
class FindFanOut final : public FindRun {
 public:
  struct Manner {
    Parallelism parallelism;
    bool partial = false;    ///< What cannot be read is left out and named.
    bool one_batch = false;  ///< All that is asked for fits into one batch, as far as can be told.
  };
  FindFanOut(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query, Plan plan,
             const Manner& manner);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  std::size_t memory() const override;
  std::int64_t keys_examined() const override { return sum(&shards::LegFigures::keys); }
  std::int64_t documents_examined() const override { return sum(&shards::LegFigures::documents); }
  std::int64_t matched() const override { return sum(&shards::LegFigures::returned); }
  bool scanned_to_the_end() const override;
  std::vector<LegReport> legs() const override;
  std::vector<query::WalkFigures> branches() const override;
  query::SortFigures sorted() const override;
  unsigned threads() const override;
  void add_to_cursor(bson::Writer& cursor) const override;

 private:
  Status fill_from_stream(Operation& operation, BatchFill& fill);
  Status stream(BatchFill& fill);
  Status sort_all(Operation& operation);
  Status sort_leg(std::size_t leg, unsigned thread, const query::SorterOptions& options);
  Status begin_merge();
  Status fill_from_sorters(BatchFill& fill);
  std::int64_t sum(std::int64_t shards::LegFigures::* figure) const;
  const shards::ScanOrder& order() const override { return plan_.order; }

  shards::Store& store_;
  const Plan plan_;
  const Manner manner_;
  const bool sorts_;
  shards::LegWork work_;
  shards::LegControl control_;
  std::optional<shards::LegMoment> moment_;

  // Where rows stream:
  std::unique_ptr<shards::FanOut> fan_out_;
  query::Batch rows_;
  std::size_t at_ = 0;

  // Where they are sorted:
  std::vector<std::unique_ptr<shards::LegScan>> scans_;
  std::vector<LegReport> reports_;
  std::int64_t rows_to_sort_ = 0;
  std::vector<std::unique_ptr<query::Sorter>> sorters_;  ///< One for each thread that has sorted.
  std::atomic<std::size_t> sorted_bytes_{0};
  std::mutex failures_mutex_;
  std::vector<shards::FanOut::Failure> failures_;
  std::optional<query::LoserTree> merge_;
  std::vector<query::SortedRow> heads_;
  unsigned threads_ = 1;
};

/// The way to answer a find that suits its plan: one thread goes from leg to leg where there is but one, or where that is
/// what is asked for and brings them in order.
std::unique_ptr<FindRun> run_find(shards::Store& store, std::shared_ptr<const shards::Collection> collection,
                                  FindQuery query, Plan plan, const FindFanOut::Manner& manner);

}  // namespace partita::commands
