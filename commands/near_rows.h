// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/execution.h"
#include "commands/find_run.h"
#include "commands/plan.h"
#include "query/plan/near_rings.h"
#include "query/sort/sorter.h"
#include "shards/router/leg_moment.h"

namespace partita::commands {

/// The rows of a $near, nearest first, over all partitions: ring by ring, so that who wants a few of them has looked at few
/// more. All rings show one moment. The rows of a ring are at hand when the first is handed on, and belong to this. One thread
/// at a time.
class NearRows final : public query::RecordSource {
 public:
  /// `filter` has the $near, and must outlive it; the plan is one of its index. No more than `most` rows are wanted; 0: all.
  NearRows(shards::Store& store, std::shared_ptr<const shards::Collection> collection, const query::Matcher& filter, Plan plan,
           std::uint64_t most, query::RunFiles* files);

  /// For the time of one batch of the answer.
  Status begin(Operation& operation);
  void rest(bool for_good);
  Status pull(query::Batch& out) override;

  /// For explain, before the first row: what is done on each leg, and for each of its rings, is kept.
  void tell_apart() { tells_ = true; }
  const std::vector<LegReport>& legs() const { return legs_; }

  const shards::ScanOrder& order() const { return order_; }
  std::size_t memory() const { return sorter_ ? sorter_->memory() : 0; }
  const shards::LegFigures& figures() const { return figures_; }
  bool ended() const { return ended_; }

 private:
  Status sort_next_ring();
  Status sort_leg(const shards::ScanOrder& order, const shards::LegSpan& leg, const query::NearRings::Ring& ring);
  void tell(const shards::LegSpan& leg, const query::NearRings::Ring& ring, const shards::LegFigures& figures, std::int64_t in_ring);

  shards::Store& store_;
  const std::shared_ptr<const shards::Collection> collection_;
  const shards::ScanOrder order_;
  const query::SortSpec by_distance_;
  const std::uint64_t most_;
  query::RunFiles* const files_;  ///< Where a ring may go that does not fit into memory; null: nowhere.
  query::NearRings rings_;
  shards::LegWork work_;
  shards::LegControl control_;
  shards::LegMoment moment_;
  std::optional<query::Sorter> sorter_;  ///< Of one ring.
  shards::LegFigures figures_;
  bool tells_ = false;
  std::vector<LegReport> legs_;
  std::uint64_t handed_on_ = 0;
  bool ended_ = false;
};

/// Answers a find by $near.
class FindNear final : public FindRun {
 public:
  FindNear(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query, Plan plan);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  std::size_t memory() const override { return rows_.memory() + held_memory(); }
  std::int64_t keys_examined() const override { return rows_.figures().keys; }
  std::int64_t documents_examined() const override { return rows_.figures().documents; }
  std::int64_t matched() const override { return rows_.figures().matched; }
  void tell_apart() override { rows_.tell_apart(); }
  std::vector<LegReport> legs() const override { return rows_.legs(); }
  bool scanned_to_the_end() const override { return rows_.ended(); }

 private:
  Status hand_on_all(BatchFill& fill);
  const shards::ScanOrder& order() const override { return rows_.order(); }

  NearRows rows_;
  query::Batch batch_;
  std::size_t at_ = 0;
};

}  // namespace partita::commands
