// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "shards/catalog/collection.h"

namespace partita::shards {

/// Rounds in which somebody follows the writers of some partitions, until what is left is so little that they may well wait
/// for a last one. As long as rounds grow shorter, writers notice nothing. Where they do not, writers are faster: then their
/// doors are held closed for a part of the time, a larger part from round to round, some milliseconds each, a
/// tenth of a second at most. So there is an end to it whatever they do, and nobody waits longer than that. One thread.
class Pursuit {
 public:
  /// A last round of `few` documents is short enough.
  Pursuit(std::span<const PartitionSlot> slots, std::size_t few);
  Pursuit(const Pursuit&) = delete;
  Pursuit& operator=(const Pursuit&) = delete;
  ~Pursuit() { let_go(); }

  /// After a round over so many documents: whether there is to be another one. If not, writers are let in until the next
  /// tick(): for the rounds of who waits for a moment to keep them out for good.
  bool goes_on(std::size_t touched);
  /// Called during a round, often: opens and closes when it is time. The log has so many records that this round follows, and so
  /// many have come since it began.
  void tick(Sequence round, Sequence added);
  /// Which part of the time writers are kept out: all but one half to the power of this.
  int pressure() const { return pressure_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool press();
  void hold();
  void let_go();

  const std::span<const PartitionSlot> slots_;
  const std::size_t few_;
  std::size_t last_ = SIZE_MAX;  ///< What the round before had to do.
  int pressure_ = 0;
  Sequence pressed_ = 0;  ///< How often in this round.
  int rounds_ = 0;  ///< That were not shorter than those before, as hard as it was pressed.
  bool holds_ = false;
  Clock::time_point opened_{};
  Clock::time_point next_{};  ///< When to close or to open.
};

}  // namespace partita::shards
