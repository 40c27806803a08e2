// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/sort_spec.h"

#include <algorithm>

#include "query/path/path_rules.h"
#include "wire/bson/clamped_number.h"
#include "wire/bson/json.h"

namespace partita::query {
namespace {

using bson::Value;
using bson::View;
using keys::Direction;

/// {$meta: "textScore"}; anything else is refused, what is known by name.
Status check_meta(View expression, bool has_score) {
  const bson::Field first = expression.empty() ? bson::Field{} : *expression.begin();
  if (first.name != "$meta") return error(Code{17312}, "$meta is the only expression supported by $sort right now");
  if (expression.count() > 1)
    return error(Code::FailedToParse, "Cannot have additional keys in a $meta sort specification");
  const std::string_view name = first.value.is_string() ? first.value.as_string() : std::string_view();
  if (name == "textScore" && has_score) return {};
  if (name == "textScore")
    return error(Code{40218}, "query requires text score metadata, but it is not available");
  constexpr std::string_view kKnown[] = {"randVal", "searchScore", "geoNearDistance"};
  if (std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown))
    return error(Code{31218}, "$meta sort by '", name, "' metadata is not supported");
  if (name == "searchHighlights") return error(Code{31219}, "$meta sort by 'searchHighlights' metadata is not supported");
  return error(Code{31138}, "Illegal $meta sort: $meta: ", bson::to_shell(first.value));
}

/// 1.5 is a 1, but as a decimal a 2.
Result<Direction> parse_direction(const bson::Field& field) {
  if (!field.value.is_number())
    return error(Code{15974}, "Illegal key in $sort specification: ", field.name, ": ", bson::to_shell(field.value));
  const std::int64_t number = bson::clamped_int64(field.value);
  if (number == 1) return Direction::kAscending;
  if (number == -1) return Direction::kDescending;
  return error(Code{15975}, "$sort key ordering must be 1 (for ascending) or -1 (for descending)");
}

}  // namespace

Result<SortSpec> SortSpec::parse(View specification, Collation collation, std::shared_ptr<const text::Query> text) {
  SortSpec spec;
  spec.collation_ = std::move(collation);
  for (const bson::Field& field : specification) {
    if (field.value.is_document()) {
      CHECK_OK(check_meta(field.value.as_document(), text != nullptr));
      spec.fields_.push_back({.path = std::string(field.name), .direction = Direction::kDescending, .text_score = true});
      spec.text_ = text;
      continue;
    }
    TRY(const Direction direction, parse_direction(field));
    CHECK_OK(check_field_path(field.name));
    spec.fields_.push_back({std::string(field.name), direction});
  }
  if (spec.fields_.size() > kMaxSortFields) return error(Code{13103}, "too many compound keys");
  return spec;
}

SortSpec SortSpec::by_distance(std::shared_ptr<const geo::NearQuery> near) {
  SortSpec spec;
  spec.near_ = std::move(near);
  return spec;
}

}  // namespace partita::query
