// SPDX-License-Identifier: GPL-3.0-or-later
// An index of places has a document under each cell that one of its places meets. A shape that is asked for is a few
// stretches of cells, and whoever meets it has a key in one of these; the filter then looks closely.
#include <algorithm>

#include "query/match/geo.h"
#include "query/plan/candidates.h"

namespace partita::query {
namespace {

using Field = IndexDescription::Field;

std::optional<geo::CellRanges> ranges_of(const geo::Query& query, const IndexDescription& index, const Field& field) {
  if (field.form == KeyForm::kSphereCell) return query.ranges(index.geo->sphere, !index.multikey);
  return query.ranges(index.geo->grid);
}

bool is_near(const FilterTree& filter, std::string_view path) {
  return filter.near != nullptr && filter.near->path().text() == path;
}

/// What the filter asks for of a field of places: $near before all others.
const geo::Query* query_of(const FilterTree& filter, const Field& field) {
  if (is_near(filter, field.path)) return filter.near.get();
  for (const FilterNode* node : conjuncts(filter)) {
    const bool asks = node->kind == FilterNode::Kind::kField && node->field_operator->bound == Bound::kPlace &&
                      node->path.text() == field.path;
    if (asks) return &static_cast<const GeoMatch&>(*node->predicate).query();
  }
  return nullptr;
}

Interval interval_of(const geo::CellRange& range) {
  const auto end = [](std::int64_t cell) {
    return IntervalEnd{.type_class = bson::TypeClass::kNumber, .value = bson::Value::of(cell)};
  };
  return {end(range.first), end(range.last)};
}

}  // namespace

std::vector<Interval> place_intervals(const IndexDescription& index, const Field& field, const FilterTree& filter) {
  const geo::Query* query = query_of(filter, field);
  return query == nullptr ? std::vector<Interval>() : place_intervals(index, field, *query);
}

std::vector<Interval> place_intervals(const IndexDescription& index, const Field& field, const geo::Query& query) {
  std::vector<Interval> intervals;
  for (const geo::CellRange& range : ranges_of(query, index, field).value_or(geo::CellRanges())) intervals.push_back(interval_of(range));
  return intervals;
}

bool serves_places(const IndexDescription& index, const FilterTree& filter) {
  return std::ranges::any_of(index.fields, [&](const Field& field) {
    const geo::Query* query = is_place(field.form) ? query_of(filter, field) : nullptr;
    return query != nullptr && ranges_of(*query, index, field).has_value();
  });
}

bool serves_near(const IndexDescription& index, const FilterTree& filter) {
  if (filter.near == nullptr) return true;
  return std::ranges::any_of(index.fields, [&](const Field& field) {
    return is_place(field.form) && is_near(filter, field.path) && ranges_of(*filter.near, index, field).has_value();
  });
}

}  // namespace partita::query
