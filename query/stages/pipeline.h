// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include "query/match/matcher.h"
#include "query/sort/sort_spec.h"
#include "query/stages/stage.h"

namespace partita::query {

constexpr std::size_t kMaxPipelineStages = 1000;

class SortPlan;

/// A parsed stage with what the pipeline knows about it.
using PipelineStage = StagePart;

/// A part of a pipeline as it runs somewhere: which stages, and which part of each.
struct PipelinePart {
  struct Step {
    const StagePlan* plan;
    Role role;
  };
  std::vector<Step> steps;

  /// Stages over `input`, the last of them on top.
  Source open(Source input) const;
  /// The same, under a control of the caller's, who may put something behind each step.
  using Behind = std::function<Source(Source, std::size_t step)>;
  Source open(Source input, const std::shared_ptr<RunControl>& control, const Behind& behind = {}) const;
};

/// How a pipeline runs over several partitions: one part on each, one over what they send.
struct PipelineSplit {
  PipelinePart each;
  /// The order in which rows of `each` arrive and have to be merged, by their keys; without it any order will do.
  const SortSpec* order = nullptr;
  PipelinePart merge;
  bool gathers = false;    ///< Some stage of `each` must see all of its rows before it hands on the first.
  bool rows_stay = true;   ///< Rows that `each` has handed on stay valid when it is pulled again.
  /// Stages that are in no pipeline: a $limit that reaches through the $skip before it.
  std::vector<std::unique_ptr<const StagePlan>> made = {};
};

/// An aggregation pipeline: parsed once per request, opened for each partition. Immutable, so many threads may share one;
/// it must outlive what it opens.
class Pipeline {
 public:
  static Result<Pipeline> parse(bson::View stages, const ExpressionContext& context = {});

  /// All of it over one stream.
  PipelinePart whole() const;
  /// `ordered`: rows come in an order that stages behind may rely on, and the merge keeps it.
  PipelineSplit split(bool ordered = false) const;

  /// The filter of a $match at the very beginning: what a plan can be made for. whole() and split() ask it again, unless
  /// the scan has taken it over.
  const Matcher* leading_filter() const;
  /// The $match of that filter, which is then no stage any more; null where there is none.
  std::unique_ptr<const StagePlan> take_leading_match();
  /// The sort at the beginning (behind a leading $match), which an index may serve.
  const SortSpec* leading_sort() const;
  /// How many rows of it can be asked for; 0: all.
  std::uint64_t leading_sort_limit() const;
  void drop_leading_sort();

  /// The top-level fields that all of it can ever look at; nullopt when that may be any.
  std::optional<FieldSet> needed_fields() const;
  bool empty() const { return stages_.empty(); }
  const std::vector<PipelineStage>& stages() const { return stages_; }

 private:
  void combine_sorts_with_limits();
  const SortPlan* leading_sort_plan() const;
  void limit_each(std::size_t from, PipelineSplit& split) const;

  std::vector<PipelineStage> stages_;
};

}  // namespace partita::query
