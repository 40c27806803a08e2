// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/leg_moment.h"

#include <algorithm>
#include <set>

#include "shards/store.h"

namespace partita::shards {
namespace {

/// Whether all tables of `now` are tables of `before`: then what these held then can be read there.
bool same_tables(const Collection& before, const Collection& now) {
  if (before.version == now.version) return true;
  std::set<SegmentId> segments;
  for (const PartitionSlot& slot : before.partitions) segments.insert(slot.partition->segment());
  return std::ranges::all_of(now.partitions, [&](const PartitionSlot& slot) { return segments.contains(slot.partition->segment()); });
}

}  // namespace

Status LegMoment::wake(LegControl& control) {
  TRY(auto now, CollectionScan::current(store_, collection_));
  const bool kept = pin_ && pin_->wake() && same_tables(*collection_, *now);
  if (kept) {
    collection_ = std::move(now);
  } else {
    CHECK_OK(take());
  }
  control.collection = collection_;
  control.time = pin_->time();
  return {};
}

/// A map that is the current one before and after the moment is drawn is that moment's. Another one might name tables that
/// were not yet filled then, or that had been left already.
Status LegMoment::take() {
  while (true) {
    TRY(auto before, CollectionScan::current(store_, collection_));
    pin_.reset();
    pin_.emplace(PastPin::now(store_));
    TRY(auto after, CollectionScan::current(store_, before));
    collection_ = std::move(after);
    if (collection_ == before) return {};
  }
}

}  // namespace partita::shards
