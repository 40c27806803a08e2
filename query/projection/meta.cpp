// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/projection/meta.h"

#include <algorithm>

namespace partita::query {
namespace {

/// What a query has to be for MongoDB to know these; it refuses to parse them elsewhere.
constexpr std::string_view kTextScore = "text score";
constexpr std::string_view kDistance = "$geoNear distance";
constexpr std::string_view kPoint = "$geoNear point";

struct Name {
  std::string_view text;
  Meta meta;
  std::string_view unavailable = {};
  std::string_view unknown = {};  ///< The same, where only the $meta of expressions is refused.
};
constexpr Name kNames[] = {
    {"textScore", Meta::kTextScore, kTextScore},
    {"searchScore", Meta::kSearchScore},
    {"searchHighlights", Meta::kSearchHighlights},
    {"searchScoreDetails", Meta::kSearchScoreDetails},
    {"randVal", Meta::kRandomValue},
    {"timeseriesBucketMinTime", Meta::kBucketTime},
    {"timeseriesBucketMaxTime", Meta::kBucketTime},
    {"geoNearDistance", Meta::kNearDistance, kDistance},
    {"geoNearPoint", Meta::kNearPoint, kPoint},
    {"indexKey", Meta::kIndexKey, {}, "index key"},
    {"sortKey", Meta::kSortKey, {}, "sort key"},
    {"recordId", Meta::kRecordId, {}, "record ID"},
};

}  // namespace

Result<Meta> parse_meta(bson::Value operand) {
  if (!operand.is_string()) return error(Code{17307}, "$meta only supports string arguments");
  const auto* found = std::ranges::find(kNames, operand.as_string(), &Name::text);
  if (found == std::end(kNames)) return error(Code{17308}, "Unsupported argument to $meta: ", operand.as_string());
  return found->meta;
}

Status check_available(Meta meta, KnownBeside known) {
  if (known.near && (meta == Meta::kNearDistance || meta == Meta::kNearPoint)) return {};
  if (known.texts && meta == Meta::kTextScore) return {};
  const std::string_view unavailable = std::ranges::find(kNames, meta, &Name::meta)->unavailable;
  if (unavailable.empty()) return {};
  return error(Code{40218}, "query requires ", unavailable, " metadata, but it is not available");
}

Status check_known(const KnownMeta* known, Meta meta) {
  const Name& name = *std::ranges::find(kNames, meta, &Name::meta);
  const std::string_view what = name.unavailable.empty() ? name.unknown : name.unavailable;
  if (what.empty()) return {};
  if (known != nullptr) return known->check(meta);
  return error(Code{40218}, "query requires ", what, " metadata, but it is not available");
}

}  // namespace partita::query
