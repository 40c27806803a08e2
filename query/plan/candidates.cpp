// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/candidates.h"

#include <algorithm>
#include <cmath>

#include "query/plan/implication.h"

namespace partita::query {

bool all_points(const std::vector<Interval>& intervals) {
  return std::all_of(intervals.begin(), intervals.end(), [](const Interval& i) { return i.is_point(); });
}

bool has_position(std::string_view path) {
  const FieldPath parts(path);
  return std::any_of(parts.begin() + 1, parts.end(), [](const PathPart& part) { return part.is_index(); });
}

bool is_plain(bson::Value value) {
  switch (bson::type_class(value.type())) {
    case bson::TypeClass::kNumber:
      return !std::isnan(value.to_double().value_or(0));
    case bson::TypeClass::kString:
    case bson::TypeClass::kObjectId:
    case bson::TypeClass::kBool:
    case bson::TypeClass::kDate:
      return true;
    default:
      return false;
  }
}

PathBounds bounds_in_keys(const FilterTree& filter, std::string_view path, const Collator* collation, const FilterNode* element) {
  PathBounds bounds = bounds_for(filter, path, element);
  if (collation == nullptr && filter.collation == nullptr) return bounds;
  const bool agrees = agree(collation, filter.collation.get());
  const auto is_lost = [&](bson::Value value) {
    if (value.is(bson::Type::kRegex)) return collation != nullptr;
    return !agrees && is_collated(value);
  };
  const auto holds_lost = [&](bson::View list) {
    return std::ranges::any_of(list, [&](const bson::Field& one) { return is_lost(one.value); });
  };
  if (bounds.equal && is_lost(*bounds.equal)) bounds.equal.reset();
  if (bounds.in && holds_lost(*bounds.in)) bounds.in.reset();
  if (bounds.regex && is_lost(*bounds.regex)) bounds.regex.reset();
  if (bounds.lower && is_lost(bounds.lower->value)) bounds.lower.reset();
  if (bounds.upper && is_lost(bounds.upper->value)) bounds.upper.reset();
  return bounds;
}

bool serves_filter(const IndexDescription& index, const FilterTree& filter) {
  return index.filter == nullptr || implies(filter, *index.filter);
}

std::uint32_t score(const IndexDescription& index, std::span<const FieldIntervals> narrowed, bool saves_sort) {
  const auto points = static_cast<std::uint32_t>(std::count_if(
      narrowed.begin(), narrowed.end(), [](const FieldIntervals& field) { return all_points(field.intervals); }));
  const bool one_row = index.unique && points == index.fields.size();
  const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(index.fields.size(), 63));
  const bool last_is_rest = narrowed.size() > points && narrowed.back().by_exclusion;
  const bool range = narrowed.size() > points && !last_is_rest;
  return one_row << 20 | points << 13 | range << 12 | saves_sort << 11 | index.clustered << 10 | last_is_rest << 9 | (63 - length);
}

}  // namespace partita::query
