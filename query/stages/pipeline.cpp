// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/stages/pipeline.h"

#include "query/match/operator.h"
#include "query/stages/geo_near.h"
#include "query/stages/kept_meta.h"
#include "query/stages/limit_skip.h"
#include "query/stages/match.h"
#include "query/stages/sort.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;

/// Adds the stage, or those that it stands for.
Status parse_stage(Value stage, const ExpressionContext& context, std::vector<PipelineStage>& stages) {
  if (!stage.is_document())
    return error(Code::TypeMismatch, "Each element of the 'pipeline' array must be an object");
  const View object = stage.as_document();
  if (object.count() != 1)
    return error(Code{40323}, "A pipeline stage specification object must contain exactly one field.");
  const bson::Field only = *object.begin();
  const StageKind* kind = Registry<StageKind>::find(only.name);
  if (kind == nullptr) return error(Code{40324}, "Unrecognized pipeline stage name: '", only.name, "'");
  const StageArgs args{.name = only.name, .specification = only.value, .context = context};
  if (kind->parse_parts != nullptr) {
    if (!stages.empty()) return error(Code{40603}, only.name, " is only valid as the first stage in an optimized pipeline");
    TRY(stages, kind->parse_parts(args));
    return {};
  }
  if (kind->parse == nullptr) return not_supported(only.name);
  TRY(auto plan, kind->parse(args));
  stages.push_back({kind->split, std::move(plan)});
  return {};
}

/// Of a stage that has been parsed.
bool keeps_documents(Value stage) {
  return Registry<StageKind>::find(stage.as_document().begin()->name)->keeps_documents;
}

bool overlap(std::string_view a, std::string_view b) {
  const auto within = [](std::string_view path, std::string_view parent) {
    return path == parent || (path.starts_with(parent) && path[parent.size()] == '.');
  };
  return within(a, b) || within(b, a);
}

/// Whether a $geoNear leaves the places as they are that it tells the distances of.
bool keeps_places(View stage, std::string_view path) {
  for (const std::string_view name : {"distanceField", "includeLocs"}) {
    const Value field = stage.begin()->value.as_document()[name];
    if (field.is_string() && overlap(field.as_string(), path)) return false;
  }
  return true;
}

template <class Plan>
const Plan* as(const PipelineStage& stage) {
  return dynamic_cast<const Plan*>(stage.plan.get());
}

/// What a stage that has been parsed makes known beside what was known before; null: nothing.
std::shared_ptr<const KnownMeta> made_known(Value stage, const std::vector<PipelineStage>& stages,
                                            const std::shared_ptr<const KnownMeta>& before) {
  if (const auto* sort = as<SortPlan>(stages.back())) return std::make_shared<const KeptMeta>(before, sort->spec());
  if (!GeoNearKey::is_geo_near(stage.as_document())) return nullptr;
  for (const PipelineStage& part : stages) {
    const auto* sort = as<SortPlan>(part);
    const auto near = sort == nullptr ? nullptr : sort->spec().near();
    if (near != nullptr && keeps_places(stage.as_document(), near->path().text())) return std::make_shared<const KeptMeta>(near);
  }
  return nullptr;
}

}  // namespace

Source PipelinePart::open(Source input) const {
  return open(std::move(input), std::make_shared<RunControl>());
}

Source PipelinePart::open(Source input, const std::shared_ptr<RunControl>& control, const Behind& behind) const {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    input = steps[i].plan->open(std::move(input), steps[i].role);
    input->join(control);
    if (behind) input = behind(std::move(input), i);
  }
  return input;
}

Result<Pipeline> Pipeline::parse(View stages, const ExpressionContext& context) {
  Pipeline pipeline;
  ExpressionContext kept;  // Where it is another one: what is known of documents, as long as they are those that were found.
  const ExpressionContext* known = &context;
  const auto change = [&]() -> ExpressionContext& {
    if (known != &kept) kept = context;
    known = &kept;
    return kept;
  };
  for (const bson::Field& stage : stages) {
    CHECK_OK(parse_stage(stage.value, *known, pipeline.stages_));
    const auto* match = as<MatchPlan>(pipeline.stages_.back());
    if (match != nullptr && match->matcher().tree().text != nullptr) {
      if (pipeline.stages_.size() > 1) return error(Code{17313}, "$match with $text is only allowed as the first pipeline stage");
      change().text = match->matcher().tree().text;
    }
    const bool changes = !keeps_documents(stage.value);
    if (changes && (known->text != nullptr || known->beside != nullptr)) change().text = nullptr, change().beside = nullptr;
    if (auto made = made_known(stage.value, pipeline.stages_, known->beside)) change().beside = std::move(made);
    if (pipeline.stages_.size() > kMaxPipelineStages)
      return error(Code::FailedToParse, "Pipeline length must be no longer than ", kMaxPipelineStages, " stages");
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
    for (; next < stages_.size(); ++next) {
      const auto* skip = as<SkipPlan>(stages_[next]);
      if (skip == nullptr && !stages_[next].plan->keeps_all_rows()) break;
      if (skip != nullptr && __builtin_add_overflow(skipped, skip->skip(), &skipped)) return;
    }
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
PipelineSplit Pipeline::split(bool ordered) const {
  PipelineSplit split;
  bool merged = false;
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    const StagePlan* plan = stages_[i].plan.get();
    const Split how = stages_[i].split;
    if (merged || how == Split::kMerge || (ordered && (how == Split::kOrder || how == Split::kPartial))) {
      if (!merged) limit_each(i, split);
      split.merge.steps.push_back({plan, Role::kWhole});
      merged = true;
      continue;
    }
    split.each.steps.push_back({plan, how == Split::kPartial ? Role::kPartial : Role::kWhole});
    split.gathers |= how == Split::kOrder || how == Split::kPartial;
    const bool passes_on = as<MatchPlan>(stages_[i]) != nullptr || as<LimitPlan>(stages_[i]) != nullptr;
    split.rows_stay = how == Split::kOrder || (split.rows_stay && passes_on);
    if (how == Split::kOrder) {
      split.order = &static_cast<const SortPlan*>(plan)->spec();
      ordered = true;
    } else if (how == Split::kBoth || how == Split::kPartial) {
      split.merge.steps.push_back({plan, how == Split::kPartial ? Role::kCombine : Role::kWhole});
      merged = true;
    }
  }
  return split;
}

/// What a $limit behind some $skip lets pass is all that any partition need send. Behind a $sort it has been told already.
void Pipeline::limit_each(std::size_t from, PipelineSplit& split) const {
  std::uint64_t kept = 0;
  for (; from < stages_.size() && as<SkipPlan>(stages_[from]) != nullptr; ++from)
    if (__builtin_add_overflow(kept, as<SkipPlan>(stages_[from])->skip(), &kept)) return;
  const auto* limit = from < stages_.size() ? as<LimitPlan>(stages_[from]) : nullptr;
  if (limit == nullptr || __builtin_add_overflow(kept, limit->limit(), &kept)) return;
  split.made.push_back(std::make_unique<LimitPlan>(kept));
  split.each.steps.push_back({split.made.back().get(), Role::kWhole});
}

const Matcher* Pipeline::leading_filter() const {
  const auto* match = stages_.empty() ? nullptr : as<MatchPlan>(stages_[0]);
  return match == nullptr ? nullptr : &match->matcher();
}

std::unique_ptr<const StagePlan> Pipeline::take_leading_match() {
  if (leading_filter() == nullptr) return nullptr;
  std::unique_ptr<const StagePlan> match = std::move(stages_.front().plan);
  stages_.erase(stages_.begin());
  return match;
}

const SortPlan* Pipeline::leading_sort_plan() const {
  const std::size_t at = leading_filter() == nullptr ? 0 : 1;
  return at < stages_.size() ? as<SortPlan>(stages_[at]) : nullptr;
}

const SortSpec* Pipeline::leading_sort() const {
  const SortPlan* sort = leading_sort_plan();
  return sort == nullptr ? nullptr : &sort->spec();
}

std::uint64_t Pipeline::leading_sort_limit() const {
  const SortPlan* sort = leading_sort_plan();
  return sort == nullptr ? 0 : sort->limit();
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
