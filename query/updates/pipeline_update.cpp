// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/updates/pipeline_update.h"

#include <algorithm>

namespace partita::query {
namespace {

using bson::View;

constexpr std::string_view kAllowed[] = {"$addFields", "$project", "$replaceRoot", "$replaceWith", "$set", "$unset"};

bool is_allowed(std::string_view stage) { return std::ranges::find(kAllowed, stage) != std::end(kAllowed); }

}  // namespace

Result<PipelineUpdate> PipelineUpdate::parse(View stages, const ExpressionContext& context, View constants) {
  for (const bson::Field& stage : stages) {
    if (!stage.value.is_document() || stage.value.as_document().empty()) continue;  // The pipeline's own refusal.
    const std::string_view name = stage.value.as_document().begin()->name;
    if (Registry<StageKind>::find(name) != nullptr && !is_allowed(name))
      return error(Code::InvalidOptions, name, " is not allowed to be used within an update");
  }
  if (constants.empty()) {
    TRY(Pipeline pipeline, Pipeline::parse(stages, context));
    return PipelineUpdate(std::move(pipeline));
  }
  ExpressionContext with_constants = context;
  for (const auto& [name, value] : constants) with_constants.variables.insert_or_assign(std::string(name), value);
  TRY(Pipeline pipeline, Pipeline::parse(stages, with_constants));
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
