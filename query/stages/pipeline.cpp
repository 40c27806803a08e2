// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/pipeline.h"

#include "query/match/operator.h"
#include "query/stages/limit_skip.h"
#include "query/stages/match.h"
#include "query/stages/sort.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

Result<PipelineStage> parse_stage(Value stage, const ExpressionContext& context) {
  if (!stage.is_document())
    return error(Code::TypeMismatch, "Each element of the 'pipeline' array must be an object");
  const View object = stage.as_document();
  if (object.count() != 1)
    return error(Code{40323}, "A pipeline stage specification object must contain exactly one field.");
  const bson::Field only = *object.begin();
  const StageKind* kind = Registry<StageKind>::find(only.name);
  if (kind == nullptr) return error(Code{40324}, "Unrecognized pipeline stage name: '", only.name, "'");
  if (kind->parse == nullptr) return not_supported(only.name);
  TRY(auto plan, kind->parse({.name = only.name, .specification = only.value, .context = context}));
  return PipelineStage{kind, std::move(plan)};
}

template <class Plan>
const Plan* as(const PipelineStage& stage) {
  return dynamic_cast<const Plan*>(stage.plan.get());
}

}  // namespace

Source PipelinePart::open(Source input) const {
  return open(std::move(input), std::make_shared<RunControl>());
}

Source PipelinePart::open(Source input, const std::shared_ptr<RunControl>& control) const {
  for (const Step& step : steps) {
    input = step.plan->open(std::move(input), step.role);
    input->join(control);
  }
  return input;
}

Result<Pipeline> Pipeline::parse(View stages, const ExpressionContext& context) {
  Pipeline pipeline;
  for (const bson::Field& stage : stages) {
    TRY(PipelineStage parsed, parse_stage(stage.value, context));
    if (pipeline.stages_.size() == kMaxPipelineStages)
      return error(Code::FailedToParse, "Pipeline length must be no longer than ", kMaxPipelineStages, " stages");
    pipeline.stages_.push_back(std::move(parsed));
  }
  pipeline.combine_sorts_with_limits();
  return pipeline;
}

/// A $sort that is followed by a $limit, perhaps over a $skip, has to keep only the rows that can still be asked for.
void Pipeline::combine_sorts_with_limits() {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const auto* sort = as<SortPlan>(stages_[i]);
    if (sort == nullptr) continue;
    std::uint64_t skipped = 0;
    std::size_t next = i + 1;
    for (; next < stages_.size() && as<SkipPlan>(stages_[next]) != nullptr; ++next)
      if (__builtin_add_overflow(skipped, as<SkipPlan>(stages_[next])->skip(), &skipped)) return;
    const auto* limit = next < stages_.size() ? as<LimitPlan>(stages_[next]) : nullptr;
    std::uint64_t kept = 0;
    if (limit == nullptr || __builtin_add_overflow(skipped, limit->limit(), &kept)) continue;
    stages_[i].plan = std::make_unique<SortPlan>(SortSpec(sort->spec()), kept);
  }
}

PipelinePart Pipeline::whole() const {
  PipelinePart part;
  for (const PipelineStage& stage : stages_) part.steps.push_back({stage.plan.get(), Role::kWhole});
  return part;
}

/// Stages go to the partitions until one needs the merged stream. Behind a sort the rows are in order on every partition,
/// so stages that keep rows in order may still run there; a $group may ask for the first of all, so it may not.
PipelineSplit Pipeline::split() const {
  PipelineSplit split;
  bool merged = false;
  for (const PipelineStage& stage : stages_) {
    const StagePlan* plan = stage.plan.get();
    const Split how = stage.kind->split;
    const bool ordered = split.order != nullptr;
    if (merged || how == Split::kMerge || (ordered && (how == Split::kOrder || how == Split::kPartial))) {
      split.merge.steps.push_back({plan, Role::kWhole});
      merged = true;
    } else if (how == Split::kEach) {
      split.each.steps.push_back({plan, Role::kWhole});
    } else if (how == Split::kBoth) {
      split.each.steps.push_back({plan, Role::kWhole});
      split.merge.steps.push_back({plan, Role::kWhole});
      merged = true;
    } else if (how == Split::kOrder) {
      split.each.steps.push_back({plan, Role::kWhole});
      split.order = &static_cast<const SortPlan*>(plan)->spec();
    } else {
      split.each.steps.push_back({plan, Role::kPartial});
      split.merge.steps.push_back({plan, Role::kCombine});
      merged = true;
    }
  }
  return split;
}

const Matcher* Pipeline::leading_filter() const {
  const auto* match = stages_.empty() ? nullptr : as<MatchPlan>(stages_[0]);
  return match == nullptr ? nullptr : &match->matcher();
}

void Pipeline::drop_leading_match() { stages_.erase(stages_.begin()); }

const SortSpec* Pipeline::leading_sort() const {
  const std::size_t at = leading_filter() == nullptr ? 0 : 1;
  const auto* sort = at < stages_.size() ? as<SortPlan>(stages_[at]) : nullptr;
  return sort == nullptr ? nullptr : &sort->spec();
}

void Pipeline::drop_leading_sort() {
  stages_.erase(stages_.begin() + (leading_filter() == nullptr ? 0 : 1));
}

std::optional<FieldSet> Pipeline::needed_fields() const {
  FieldSet fields;
  for (const PipelineStage& stage : stages_) {
    switch (stage.plan->reads(fields)) {
      case Reads::kMore:
        break;
      case Reads::kOnly:
        return fields;
      case Reads::kAll:
        return std::nullopt;
    }
  }
  return std::nullopt;  // Whole documents come out.
}

}  // namespace partita::query
