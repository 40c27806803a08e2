// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/plan/near_rings.h"

#include <cmath>

#include "query/plan/candidates.h"
#include "query/plan/explain_access.h"

namespace partita::query {
namespace {

constexpr double kGrowth = 4;

}  // namespace

NearRings::NearRings(const FilterTree& filter, IndexDescription index)
    : near_(*filter.near),
      index_(std::move(index)),
      reach_(near_.reach(index_.geo->grid)),
      plan_(choose_plan({.filter = &filter, .indexes = {&index_, 1}, .hint = 0})),
      from_(near_.least()),
      width_(reach_.first) {
  for (std::size_t i = 0; i < plan_.intervals.size(); ++i) {
    if (is_place(plan_.intervals[i].form) && index_.fields[i].path == near_.path().text()) field_ = i;
  }
}

std::optional<NearRings::Ring> NearRings::next() {
  if (ended_) return std::nullopt;
  const double to = from_ + width_;
  ended_ = !field_ || !(to < near_.most()) || !(to < reach_.farthest);
  Ring ring{.near = near_.ring(from_, ended_ ? near_.most() : std::nextafter(to, 0)), .ranges = {}, .intervals = {}};
  ring.intervals = intervals_of(*ring.near);
  ring.ranges = field_ ? key_ranges(ring.intervals) : plan_.ranges();
  from_ = to;
  width_ *= kGrowth;
  return ring;
}

std::vector<FieldIntervals> NearRings::intervals_of(const geo::NearQuery& ring) const {
  std::vector<FieldIntervals> intervals = plan_.intervals;
  if (field_) intervals[*field_].intervals = place_intervals(index_, index_.fields[*field_], ring);
  return intervals;
}

bson::Document NearRings::bounds(const Ring& ring) const {
  Plan told{plan_};
  told.intervals = ring.intervals;
  return bson::Document::build([&](bson::Writer& out) { write_bounds(told, index_, out); });
}

}  // namespace partita::query
