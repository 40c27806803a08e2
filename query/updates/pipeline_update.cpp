// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/pipeline_update.h"

#include <algorithm>

#include "query/expressions/variable_names.h"

namespace partita::query {
namespace {

using bson::View;

constexpr std::string_view kAllowed[] = {"$addFields", "$project", "$replaceRoot", "$replaceWith", "$set", "$unset"};

bool is_allowed(std::string_view stage) { return std::ranges::find(kAllowed, stage) != std::end(kAllowed); }

/// Of those that exist.
bool is_built(std::string_view stage) {
  const StageKind* const kind = Registry<StageKind>::find(stage);
  return kind == nullptr || kind->parse != nullptr || kind->parse_parts != nullptr;
}

/// The name of the first stage that `is` says something of; empty where there is none.
template <class Is>
std::string_view find_stage(View stages, Is&& is) {
  for (const bson::Field& stage : stages) {
    if (!stage.value.is_document() || stage.value.as_document().empty()) continue;  // The pipeline's own refusal.
    const std::string_view name = stage.value.as_document().begin()->name;
    if (is(name)) return name;
  }
  return {};
}

Status check_allowed(std::string_view refused) {
  if (refused.empty()) return {};
  return error(Code::InvalidOptions, refused, " is not allowed to be used within an update");
}

/// What is wrong within a stage is told before that it has no place here.
Result<Pipeline> parse_allowed(View stages, const ExpressionContext& context) {
  CHECK_OK(check_allowed(find_stage(stages, [](std::string_view name) { return !is_built(name); })));
  TRY(Pipeline pipeline, Pipeline::parse(stages, context));
  CHECK_OK(check_allowed(find_stage(stages, [](std::string_view name) { return !is_allowed(name); })));
  return pipeline;
}

}  // namespace

Result<PipelineUpdate> PipelineUpdate::parse(View stages, const ExpressionContext& context, View constants) {
  if (constants.empty()) {
    TRY(Pipeline pipeline, parse_allowed(stages, context));
    return PipelineUpdate(std::move(pipeline));
  }
  ExpressionContext with_constants = context;
  for (const auto& [name, value] : constants) {
    CHECK_OK(check_definable_variable(name));
    with_constants.variables.insert_or_assign(std::string(name), value);
  }
  TRY(Pipeline pipeline, parse_allowed(stages, with_constants));
  return PipelineUpdate(std::move(pipeline));
}

Status PipelineUpdate::check_shape(View stages) {
  for (const bson::Field& stage : stages) {
    if (!stage.value.is_document())
      return error(Code::TypeMismatch, "Each element of the 'pipeline' array must be an object");
    if (stage.value.as_document().count() != 1)
      return error(Code{40323}, "A pipeline stage specification object must contain exactly one field.");
    const std::string_view name = stage.value.as_document().begin()->name;
    if (Registry<StageKind>::find(name) == nullptr)
      return error(Code{40324}, "Unrecognized pipeline stage name: '", name, "'");
  }
  return {};
}

Status PipelineUpdate::apply(View before, bson::Buffer& after) const {
  const Source top = pipeline_.whole().open(std::make_unique<VectorSource>(std::vector<View>{before}));
  Batch batch;
  CHECK_OK(top->pull(batch));
  after.append(batch.rows.at(0).document.bytes());
  return {};
}

}  // namespace partita::query
