// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/balance/job.h"
#include "shards/log/touched_keys.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {

/// Where a partition is divided, and how much lies before that place at some moment.
struct Cut {
  std::string at;  ///< The first record key of the second part.
  Growth before;
};

/// The place that comes nearest to halving the partition's bytes, as `now` sees them, and parts no logical key, nor a hash
/// as long as there are several; nullopt when there is none. Walks over about half of the documents, and rests as long as it works.
Result<std::optional<Cut>> find_cut(const ReadPoint& now, const Collection& collection, const PartitionSlot& slot,
                                    const BalanceJob::GoOn& go_on, BalanceJob& job);
/// What lies before a given place.
Result<Cut> measure_cut(const ReadPoint& now, const PartitionSlot& slot, const std::string& at,
                        const BalanceJob::GoOn& go_on, BalanceJob& job);

/// Keeps the figures of a cut true while the partition is written to: in rounds, each from one moment to a later one.
class CutCount {
 public:
  CutCount(Store& store, const PartitionSlot& slot);
  /// Must come before anything is counted: what is written from now on is followed.
  Status begin();
  const ReadPoint& moment() const { return *seen_; }
  void set(Cut cut) { cut_ = std::move(cut); }
  const Cut& cut() const { return cut_; }
  /// About how many records the log holds that have not been followed, whoever's they are.
  Sequence behind() const;
  /// Brings the figures up to now. How many documents had to be looked at.
  Result<std::size_t> follow(const BalanceJob::GoOn& go_on);

 private:
  Store& store_;
  const PartitionSlot& slot_;
  TouchedKeys touched_;
  std::optional<ReadPoint> seen_;
  Cut cut_;
};

}  // namespace partita::shards
