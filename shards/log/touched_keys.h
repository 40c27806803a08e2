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
/// still to be read is cut off meanwhile. One thread.
class TouchedKeys {
 public:
  /// Asked often; a failure ends the collecting with that failure.
  using GoOn = std::function<Status()>;

  /// Until begin() the whole log is held.
  TouchedKeys(Store& store, std::span<const PartitionId> partitions);

  /// What comes before is known.
  void begin(Sequence from);
  /// Reads on up to `to`, of which all must be visible. How many keys that has added.
  Result<std::size_t> collect(Sequence to, const GoOn& go_on);
  /// Of one of the partitions, ascending.
  const std::set<std::string>& of(PartitionId partition) const { return keys_.at(partition); }
  std::size_t size() const;
  /// They have been looked at.
  void clear();

 private:
  Result<std::size_t> collect_record(RecordReader& record);

  Store& store_;
  std::map<PartitionId, std::set<std::string>> keys_;
  Sequence next_ = 0;
  LogHold hold_;
};

}  // namespace partita::shards
