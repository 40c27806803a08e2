// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/follower.h"

namespace partita::shards {

Follower::Follower(Store& store, std::span<const PartitionId> partitions)
    : store_(store), touched_(store, partitions, store.options().touched_key_bytes) {}

Status Follower::begin() {
  pin_.emplace(PastPin::now(store_));
  TRY(ReadPoint first, ReadPoint::now(store_));
  touched_.begin(first.next_sequence());
  seen_.emplace(std::move(first));
  pin_->move_to(seen_->time());
  return {};
}

Status Follower::aim() {
  TRY(ReadPoint goal, ReadPoint::now(store_));
  goal_.emplace(std::move(goal));
  goal_sequence_ = goal_->next_sequence();
  aimed_from_ = seen_->next_sequence();
  return {};
}

// Times grow along the log, and all up to the goal is visible: who reads at a record's time sees what comes up to it in the
// log, and nothing else of it.
Result<bool> Follower::step(const GoOn& go_on) {
  if (!goal_) return false;
  TRY(const TouchedKeys::Reached reached, touched_.collect(goal_->next_sequence(), go_on));
  if (reached.next == goal_->next_sequence()) {
    next_.emplace(std::move(*goal_));
    goal_.reset();
    return true;
  }
  TRY(ReadPoint next, ReadPoint::behind(store_, *pin_, reached.time, reached.next));
  next_.emplace(std::move(next));
  return true;
}

void Follower::arrive() {
  touched_.clear();
  seen_.emplace(std::move(*next_));
  next_.reset();
  pin_->move_to(seen_->time());
}

}  // namespace partita::shards
