// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/scan_legs.h"

#include <iterator>

namespace partita::shards {
namespace {

/// The record keys of the segment of the partition at a place in the map: its tables are walked over as a whole.
query::KeyRange span_at(const Collection& collection, std::size_t place) {
  const auto& slots = collection.partitions;
  const Collection::Run run = collection.run_of(place);
  return {slots[run.first].min, run.end < slots.size() ? slots[run.end].min : std::string()};
}

bool ends_before(const std::string& upper, const std::string& other) {
  return !upper.empty() && (other.empty() || upper < other);
}

}  // namespace

std::size_t slot_below(const Collection& collection, const std::string& upper) {
  if (upper.empty()) return collection.partitions.size() - 1;
  const std::size_t place = collection.slot_of(bytes_of(upper));
  return collection.partitions[place].min == upper ? place - 1 : place;
}

ScanLegs::Share ScanLegs::enter(const Collection& collection) {
  const query::KeyRange all = legs_.front().span;
  const std::size_t place = backward_ ? slot_below(collection, all.upper) : collection.slot_of(bytes_of(all.lower));
  const query::KeyRange here = span_at(collection, place);
  const bool more_above = ends_before(here.upper, all.upper);
  const bool more_below = all.lower < here.lower;
  if (backward_ ? more_below : more_above) {
    Leg rest = legs_.front();
    Leg& leg = legs_.front();
    (backward_ ? leg.span.lower : leg.span.upper) = backward_ ? here.lower : here.upper;
    (backward_ ? rest.span.upper : rest.span.lower) = backward_ ? here.lower : here.upper;
    legs_.insert(legs_.begin() + 1, std::move(rest));
  }
  const Leg& leg = legs_.front();
  return {.place = place,
          .clip = {leg.span.lower == here.lower ? std::string() : leg.span.lower,
                   leg.span.upper == here.upper ? std::string() : leg.span.upper},
          .after = leg.after,
          .branch = leg.branch};
}

/// All legs but the front one.
ScanLegs ScanLegs::take_rest() {
  ScanLegs rest(backward_, std::vector<query::KeyRange>());
  rest.legs_.assign(std::make_move_iterator(legs_.begin() + 1), std::make_move_iterator(legs_.end()));
  legs_.resize(1);
  return rest;
}

std::vector<ScanLegs> ScanLegs::part(const Collection& collection) {
  std::vector<ScanLegs> others;
  if (empty()) return others;
  (void)enter(collection);
  for (ScanLegs rest = take_rest(); !rest.empty();) {
    (void)rest.enter(collection);
    ScanLegs behind = rest.take_rest();
    others.push_back(std::move(rest));
    rest = std::move(behind);
  }
  return others;
}

void ScanLegs::stand(Bytes position) {
  legs_.front().after.assign(reinterpret_cast<const char*>(position.data()), position.size());
}

}  // namespace partita::shards
