// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>

#include "shards/log/log_holds.h"

namespace partita::shards {

class RecordReader;
class Store;

/// Follows the data log and gathers the keys of the records that it names in some partitions: what has to be looked at
/// again by whoever has read these partitions as of one moment and wants to know them as of a later one. Nothing that is
/// still to be read is cut off meanwhile. Keeps no more than `most_bytes` of keys, and those of one record. One thread.
class TouchedKeys {
 public:
  /// Asked often; a failure ends the collecting with that failure.
  using GoOn = std::function<Status()>;

  /// Until begin() the whole log is held.
  TouchedKeys(Store& store, std::span<const PartitionId> partitions, std::size_t most_bytes);

  /// What comes before is known.
  void begin(Sequence from);
  /// Where collect() has come to.
  struct Reached {
    Sequence next = 0;  ///< The first record that has not been read.
    Time time = 0;      ///< Of the one before it, where that was read by this call.
  };
  /// Reads on up to `to`, of which all must be visible, or until there are as many keys as may be kept.
  Result<Reached> collect(Sequence to, const GoOn& go_on);
  /// Of one of the partitions, ascending.
  const std::set<std::string>& of(PartitionId partition) const { return keys_.at(partition); }
  std::size_t size() const;
  /// They have been looked at.
  void clear();

 private:
  Status collect_record(RecordReader& record);

  Store& store_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;  ///< That the keys take in memory, roughly.
  std::map<PartitionId, std::set<std::string>> keys_;
  Sequence next_ = 0;
  LogHold hold_;
};

}  // namespace partita::shards
