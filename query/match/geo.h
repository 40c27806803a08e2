// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/geo/near.h"
#include "query/match/filter_tree.h"
#include "query/match/predicate.h"
#include "query/sort/sort_spec.h"

namespace partita::query {

/// $geoWithin and $geoIntersects: of a value.
class GeoMatch final : public Predicate {
 public:
  explicit GeoMatch(std::unique_ptr<const geo::Query> query) : query_(std::move(query)) {}
  bool matches(bson::Value value, MatchState&) const override { return query_->holds(value); }
  /// What the planner looks for in an index. Of every leaf whose operator has Bound::kPlace.
  const geo::Query& query() const { return *query_; }

 private:
  std::unique_ptr<const geo::Query> query_;
};

/// $near: of a document, for it has one distance, however many places.
class NearMatch final : public Predicate {
 public:
  explicit NearMatch(std::shared_ptr<const geo::NearQuery> query) : query_(std::move(query)) {}
  bool matches(bson::Value document, MatchState&) const override { return query_->holds_for(document.as_document()); }
  const std::shared_ptr<const geo::NearQuery>& query() const { return query_; }

 private:
  std::shared_ptr<const geo::NearQuery> query_;
};

/// The order that a client names or, where it names none, the one that $near in its filter stands for.
Result<SortSpec> parse_order(bson::View sort, const FilterTree& filter);
inline SortSpec order_of(const SortSpec& named, const FilterTree& filter) {
  return named.empty() && filter.near != nullptr ? SortSpec::by_distance(filter.near) : named;
}

}  // namespace partita::query
