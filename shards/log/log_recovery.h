// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "shards/log/fence.h"
#include "shards/log/position.h"

namespace partita::shards {

/// Looks over the records of one embedded log behind the last checkpoint, in order, before they are applied again: every
/// one must pass the Fence. A crash may have left positions that were taken and never written, while others behind them
/// had committed already; those are found here, to be filled with voids, since no reader of the log gets past a gap.
///
/// A gap that no crash can leave is damage: a record tells, in its closed time, up to where all had committed when it was
/// written, so nothing may be missing there; and nothing is in flight when a log is taken over.
class LogRecovery {
 public:
  /// The log goes on at `next`, later than `boundary`: as the checkpoint says.
  LogRecovery(LogId log, Sequence next, Time boundary) : log_(log), next_(next), last_time_(boundary) {}

  /// Fails when the record cannot come here.
  Status admit(const RecordHeader& header);

  /// Positions to be filled, with the epochs and times that they may have had.
  const std::vector<Position>& gaps() const { return gaps_; }

 private:
  Status note_gap(const RecordHeader& behind);
  Status damaged(const RecordHeader& header, std::string_view why) const;

  const LogId log_;
  const Sequence next_;
  Time last_time_;
  std::optional<Fence> fence_;
  std::vector<Position> gaps_;
  Time behind_first_gap_ = ~Time{0};
};

}  // namespace partita::shards
