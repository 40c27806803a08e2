// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/explain.h"

#include "wire/bson/writer.h"

namespace partita::query {
namespace {

using bson::Writer;

constexpr std::int32_t kSortMemory = 100 * 1024 * 1024;

/// The stages from the outermost in: each is a document inside the one before.
enum class Stage : std::uint8_t { kLimit, kSkip, kProjection, kSort, kFetch, kAccess };

std::vector<Stage> stages_of(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request) {
  std::vector<Stage> stages;
  if (!request.projection.empty()) stages.push_back(Stage::kProjection);
  if (request.limit != 0 && !plan.needs_sort) stages.push_back(Stage::kLimit);
  if (request.skip != 0) stages.push_back(Stage::kSkip);
  if (plan.needs_sort) stages.push_back(Stage::kSort);
  const bool fetches = plan.access == Plan::Access::kIndexScan && !planned.indexes[plan.index].clustered;
  if (fetches) stages.push_back(Stage::kFetch);
  stages.push_back(Stage::kAccess);
  return stages;
}

void write_key_pattern(const IndexDescription& index, Writer& out) {
  Writer pattern = out.document("keyPattern");
  for (const IndexDescription::Field& field : index.fields)
    pattern.add(field.path, field.direction == keys::Direction::kAscending ? 1 : -1);
}

void write_bounds(const Plan& plan, const IndexDescription& index, Writer& out) {
  Writer bounds = out.document("indexBounds");
  for (std::size_t i = 0; i < index.fields.size(); ++i) {
    bson::ArrayWriter intervals = bounds.array(index.fields[i].path);
    if (i >= plan.intervals.size()) {
      intervals.push("[MinKey, MaxKey]");
    } else {
      for (const Interval& interval : plan.intervals[i].intervals) intervals.push(interval.text());
    }
  }
}

void write_access(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request, Writer& out) {
  const std::string_view direction = plan.backward ? "backward" : "forward";
  if (plan.access == Plan::Access::kIdLookup) {
    out.add("stage", "IDHACK");
    return;
  }
  if (plan.access == Plan::Access::kCollectionScan || planned.indexes[plan.index].clustered) {
    const bool clustered = plan.access == Plan::Access::kIndexScan;
    out.add("stage", clustered ? "CLUSTERED_IXSCAN" : "COLLSCAN");
    if (plan.needs_filter) out.add("filter", request.filter);
    out.add("direction", direction);
    if (clustered) write_bounds(plan, planned.indexes[plan.index], out);
    return;
  }
  const IndexDescription& index = planned.indexes[plan.index];
  out.add("stage", "IXSCAN");
  write_key_pattern(index, out);
  out.add("indexName", index.name);
  out.add("isMultiKey", index.multikey);
  out.add("isUnique", index.unique);
  out.add("isSparse", index.sparse);
  out.add("isPartial", false);
  out.add("indexVersion", 2);
  out.add("direction", direction);
  write_bounds(plan, index, out);
}

void write_stage(Stage stage, const Plan& plan, const PlanRequest& planned, const ExplainRequest& request,
                 Writer& out) {
  switch (stage) {
    case Stage::kLimit:
      out.add("stage", "LIMIT");
      out.add("limitAmount", static_cast<std::int64_t>(request.limit));
      break;
    case Stage::kSkip:
      out.add("stage", "SKIP");
      out.add("skipAmount", static_cast<std::int64_t>(request.skip));
      break;
    case Stage::kProjection:
      out.add("stage", "PROJECTION_DEFAULT");
      out.add("transformBy", request.projection);
      break;
    case Stage::kSort:
      out.add("stage", "SORT");
      out.add("sortPattern", request.sort);
      out.add("memLimit", kSortMemory);
      if (request.limit != 0) out.add("limitAmount", static_cast<std::int64_t>(request.limit + request.skip));
      out.add("type", "simple");
      break;
    case Stage::kFetch:
      out.add("stage", "FETCH");
      if (plan.needs_filter) out.add("filter", request.filter);
      break;
    case Stage::kAccess:
      write_access(plan, planned, request, out);
      break;
  }
}

}  // namespace

void explain_plan(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request, std::string_view name,
                  Writer& out) {
  std::vector<Writer> open;
  const std::vector<Stage> stages = stages_of(plan, planned, request);
  open.reserve(stages.size());
  for (const Stage stage : stages) {
    open.push_back(open.empty() ? out.document(name) : open.back().document("inputStage"));
    write_stage(stage, plan, planned, request, open.back());
  }
  while (!open.empty()) open.pop_back();  // From the inside out.
}

}  // namespace partita::query
