// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/geo/near.h"
#include "query/plan/plan.h"

namespace partita::query {

/// The way of $near through an index of places, ring by ring from the point outwards: who wants a few of the nearest looks at
/// what lies around them, and not at everything. Rings are four times as wide each time, apart from one another, and tile all
/// that is asked for; every document of a ring has a key in the ring's ranges.
class NearRings {
 public:
  /// An index that serves the filter's $near. Both must outlive it, but for what the description itself holds.
  NearRings(const FilterTree& filter, IndexDescription index);
  NearRings(const NearRings&) = delete;  // The plan looks into the description.
  NearRings& operator=(const NearRings&) = delete;

  struct Ring {
    std::unique_ptr<const geo::NearQuery> near;  ///< The same question, between the ring's two borders.
    std::vector<KeyRange> ranges;
    std::vector<FieldIntervals> intervals;  ///< That these are made of.
  };
  /// Nullopt behind the last one.
  std::optional<Ring> next();
  /// For explain: the intervals of a ring as bounds of the index.
  bson::Document bounds(const Ring& ring) const;

 private:
  std::vector<FieldIntervals> intervals_of(const geo::NearQuery& ring) const;

  const geo::NearQuery& near_;
  const IndexDescription index_;
  const geo::NearQuery::Reach reach_;
  Plan plan_;
  std::optional<std::size_t> field_;  ///< Of the places, as far as the plan's intervals go.
  double from_;
  double width_;
  bool ended_ = false;
};

}  // namespace partita::query
