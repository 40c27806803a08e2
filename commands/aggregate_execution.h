// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>

#include "commands/execution.h"
#include "commands/find_run.h"
#include "commands/found_meta.h"
#include "commands/near_rows.h"
#include "commands/parallelism.h"
#include "commands/plan.h"
#include "query/stages/pipeline.h"
#include "shards/router/fan_out.h"
#include "shards/router/leg_moment.h"

namespace partita::commands {

/// What a pipeline wants to know of documents.
PlanNeeds needs_of(const query::Pipeline& pipeline);

/// A pipeline at work for one cursor: over one leg as a whole; over several its first stages run on each, the others over
/// what they send.
class AggregateExecution final : public Execution {
 public:
  /// What its stages cannot keep in memory goes into `files`; null where it must not.
  /// `beside` is what its expressions were compiled with.
  AggregateExecution(bson::Document stages, query::Pipeline pipeline, query::RunFiles* files, std::shared_ptr<FoundMeta> beside = nullptr)
      : stages_(std::move(stages)), pipeline_(std::move(pipeline)), files_(files), beside_(std::move(beside)) {}

  /// Reads from a collection.
  Status open(const PlanAsker& asker, const std::shared_ptr<const shards::Collection>& collection, bson::Value hint,
              const Parallelism& parallelism);
  /// Reads documents that are there already.
  void open(std::vector<bson::Document> documents);

  Status fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) override;
  bool exhausted() const override { return ended_; }
  std::size_t memory() const override;
  std::string plan_summary() const override { return plan_; }
  std::int64_t keys_examined() const override { return sum(&shards::LegFigures::keys); }
  std::int64_t documents_examined() const override { return sum(&shards::LegFigures::documents); }

  /// For explain, before it is opened: the rows that come out of each stage are counted.
  void count_rows() { counts_rows_ = true; }
  /// What a step has handed on, and what its stage says of its work.
  struct StepFigures {
    query::RecordSource::Output output;
    std::shared_ptr<const bson::Document> told = std::make_shared<const bson::Document>();
  };
  using StepsFigures = std::vector<StepFigures>;
  /// How it is run and, at its end, what was counted.
  struct Told {
    /// Stages that no step is made of, for the walk does their work: a $match, a $sort that the walk's order makes good.
    std::size_t done_by_walk = 0;
    const query::PipelineSplit* split = nullptr;  ///< Null: all steps run on the one leg.
    query::PipelinePart whole = {};               ///< All that are left of the stages as they were written, in their order.
    std::vector<LegReport> legs = {};
    std::vector<StepsFigures> each = {};  ///< By leg.
    StepsFigures merge = {};              ///< Over what the legs send.
    unsigned threads = 1;
    bool exhausted = true;  ///< All walks came to their end.
  };
  Told told() const;
  bson::View stages() const { return stages_; }

 private:
  void open_whole(shards::Store& store, std::shared_ptr<const shards::Collection> collection, Plan plan);
  void open_near(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection, Plan plan, std::uint64_t most);
  void open_split(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection, const Plan& plan,
                  bool ordered, const Parallelism& parallelism);
  query::Source open_leg(query::Source scan, std::size_t legs);
  void share_memory(query::RunControl& control, std::size_t among) const;
  query::PipelinePart::Behind counting(std::size_t steps, std::deque<StepsFigures>& counts) const;
  Status begin(Operation& operation);
  void rest(bool for_good);
  Status fill_from_stream(BatchFill& fill);
  std::int64_t sum(std::int64_t shards::LegFigures::* figure) const;
  shards::LegFigures figures_of_one() const;

  const bson::Document stages_;  ///< The pipeline points into it.
  query::Pipeline pipeline_;
  query::RunFiles* const files_;
  const std::shared_ptr<FoundMeta> beside_;  ///< Null: nothing is known.
  std::unique_ptr<FindMetadata> metadata_;   ///< Where it is asked.
  std::unique_ptr<const query::StagePlan> filter_;  ///< A $match that the scan has taken over.
  query::PipelineSplit split_;
  std::vector<bson::Document> documents_;
  std::size_t documents_bytes_ = 0;
  query::RunControl::Shared held_ = std::make_shared<std::atomic<std::size_t>>(0);  ///< By all stages of all legs.
  std::shared_ptr<query::RunControl> control_ = std::make_shared<query::RunControl>(held_);

  shards::LegWork work_;
  shards::LegControl legs_control_;
  std::optional<shards::LegMoment> moment_;
  shards::LegScan* scan_ = nullptr;    ///< Of one leg, in the stream; or:
  shards::FanOut* fan_out_ = nullptr;  ///< Of several; or:
  NearRows* near_ = nullptr;           ///< Of all, by distance.
  query::Source stream_;
  query::Batch rows_;
  std::size_t next_ = 0;
  bool ended_ = false;
  std::string plan_ = "EOF";

  bool counts_rows_ = false;
  std::size_t done_by_walk_ = 0;
  shards::LegSpan one_leg_;  ///< Where there is but one, with the time that it has taken.
  std::chrono::nanoseconds one_leg_time_{0};
  std::deque<StepsFigures> each_passed_;   ///< By leg; they stay where they are, for threads count there.
  std::deque<StepsFigures> merge_passed_;  ///< One, or none.
};

}  // namespace partita::commands
