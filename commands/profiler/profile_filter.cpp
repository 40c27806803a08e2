// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/profiler/profile_filter.h"

#include <algorithm>
#include <array>

#include "query/stages/pipeline.h"

namespace partita::commands {
namespace {

/// Those of MongoDB: one that is not there here is missing from every document, and may be asked for.
constexpr auto kFields = std::to_array<std::string_view>({
    "ts", "client", "appName", "allUsers", "user", "op", "ns", "command", "originatingCommand", "nShards", "cursorid",
    "exhaust", "keysExamined", "docsExamined", "hasSortStage", "usedDisk", "fromMultiPlanner", "replanned",
    "replanReason", "nMatched", "nModified", "ninserted", "ndeleted", "nUpserted", "cursorExhausted", "keysInserted",
    "keysDeleted", "prepareReadConflicts", "writeConflicts", "temporarilyUnavailableErrors",
    "dataThroughputLastSecond", "dataThroughputAverage", "numYield", "nreturned", "queryHash", "planCacheKey",
    "queryFramework", "locks", "authorization", "flowControl", "writeConcern", "storage", "ok", "errMsg", "errName",
    "errCode", "responseLength", "protocol", "remoteOpWaitMillis", "millis", "planSummary", "execStats",
    "operationMetrics", "durationMillis"});

/// What a pipeline that begins with the filter would have to read.
Status check_fields(bson::View filter) {
  const bson::Document stages = bson::Document::build([&](bson::Writer& out) {
    out.document("0").add("$match", filter);
    out.document("1").add("$count", "n");
  });
  TRY(const query::Pipeline pipeline, query::Pipeline::parse(stages.view()));
  const auto fields = pipeline.needed_fields();
  if (!fields) return {};
  std::string unknown;
  for (const std::string_view field : *fields) {
    if (std::ranges::find(kFields, field) == kFields.end()) unknown.append(unknown.empty() ? "" : ", ").append(field);
  }
  if (unknown.empty()) return {};
  return error(Code{4910200}, "No such field (or fields) available for profile filter: ", unknown);
}

}  // namespace

Result<ProfileFilter> ProfileFilter::parse(bson::View filter) {
  TRY(query::Matcher matcher, query::Matcher::parse(filter));
  CHECK_OK(check_fields(filter));
  return ProfileFilter(std::move(matcher));
}

}  // namespace partita::commands
