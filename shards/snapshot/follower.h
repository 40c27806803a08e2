// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/log/touched_keys.h"
#include "shards/snapshot/past_pin.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {

/// Leads somebody who knows what some partitions held at one moment to later ones, while they are written to:
///
///     begin()    seen() is the present: what has to be known to begin with is read there
///     aim()      the goal is the present by then
///     step()     next() lies between seen() and the goal, and touched() names all documents that differ between the two
///     arrive()   they have been looked at: seen() is what next() was
///
/// Where more has been written than is to be kept in memory, a step ends in the middle of the log, at a moment that has
/// passed already: just behind the record read last, so that each step is from one exact moment to another. What is kept of
/// keys is bounded so, by `most_bytes` and one record's keys. One thread.
class Follower {
 public:
  using GoOn = TouchedKeys::GoOn;
  Follower(Store& store, std::span<const PartitionId> partitions);

  Status begin();
  const ReadPoint& seen() const { return *seen_; }
  /// About how many records the log holds that have not been followed, whoever's they are.
  Sequence behind() const { return store_.log(kDataLog).end() - seen_->next_sequence(); }

  Status aim();
  /// Since then: about how many records lie before the goal, and how many have come behind it, whoever's they are.
  Sequence round() const { return goal_sequence_ - aimed_from_; }
  Sequence added() const { return store_.log(kDataLog).end() - goal_sequence_; }
  /// False where seen() has reached the goal.
  Result<bool> step(const GoOn& go_on);
  const ReadPoint& next() const { return *next_; }
  const std::set<std::string>& touched(PartitionId partition) const { return touched_.of(partition); }
  /// How many, over all partitions.
  std::size_t touched() const { return touched_.size(); }
  void arrive();

 private:
  Store& store_;
  TouchedKeys touched_;
  std::optional<PastPin> pin_;  ///< Nothing behind seen() is cut off: a later moment may still become next().
  std::optional<ReadPoint> seen_;
  std::optional<ReadPoint> next_;
  std::optional<ReadPoint> goal_;
  Sequence goal_sequence_ = 0;
  Sequence aimed_from_ = 0;
};

}  // namespace partita::shards
