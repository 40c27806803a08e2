// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <set>
#include <unordered_map>

#include "shards/balance/job.h"
#include "shards/log/touched_keys.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {

/// Where a partition is divided, and how much lies before that place at some moment.
struct Cut {
  std::string at;  ///< The first record key of the second part.
  Growth before;
};

/// The place that comes nearest to halving the partition's bytes, as `now` sees them, and parts no hash, nor, where there is
/// but one, a logical key; a single key only where the collection's user wants that. Nullopt when there is none. Walks over
/// about half of the documents, and rests as long as it works.
Result<std::optional<Cut>> find_cut(const ReadPoint& now, const Collection& collection, const PartitionSlot& slot,
                                    const BalanceJob::GoOn& go_on, BalanceJob& job);
/// What lies before a given place.
Result<Cut> measure_cut(const ReadPoint& now, const PartitionSlot& slot, const std::string& at,
                        const BalanceJob::GoOn& go_on, BalanceJob& job);

/// Keeps the figures of a cut true while the partition is written to. What the log names is looked at again, one document at
/// a time, as it is by then; what changes later is named later.
class CutCount {
 public:
  CutCount(Store& store, const PartitionSlot& slot);
  /// Must come before anything is counted: what is written from now on is followed.
  Status begin();
  /// By which the cut is counted.
  const ReadPoint& moment() const { return *first_; }
  void set(Cut cut) { cut_ = std::move(cut); }
  const Cut& cut() const { return cut_; }
  /// Reads the log up to now and looks at documents that it has named, `most` of them at the most. How many that were.
  Result<std::size_t> follow(const BalanceJob::GoOn& go_on, std::size_t most = SIZE_MAX);
  /// Nothing that the log has named is left: with the writers kept out the figures are exact.
  bool is_exact() const { return pending_.empty(); }

 private:
  Result<Growth> size_at_first(const std::string& key);

  Store& store_;
  const PartitionSlot& slot_;
  TouchedKeys touched_;
  std::optional<ReadPoint> first_;
  std::set<std::string> pending_;            ///< Before the cut, named and not yet looked at.
  std::unordered_map<std::string, Growth> counted_;  ///< What those looked at count for now.
  Cut cut_;
};

}  // namespace partita::shards
