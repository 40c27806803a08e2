// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/router/write.h"
#include "shards/snapshot/totals.h"

namespace partita::shards {

/// Takes the chunks of an export into a collection that is there and empty, and then, where they are to be had, the
/// operations that the exported partition's log holds behind them. Every chunk is one ordinary write of this store: a
/// record in its log, durable and replayed like any other. Broken off in the middle it leaves what has been taken so
/// far; whoever asked for it drops the collection. One thread.
class PartitionImport {
 public:
  /// IllegalOperation when there are documents.
  static Result<PartitionImport> begin(Store& store, const Namespace& ns);

  /// Chunks in their order. DataModifiedByRepair for one that is damaged or out of its place, having taken nothing of it.
  Status accept(Bytes chunk);
  /// Everything has come, and it is what had been sent.
  Status check_complete() const;
  /// An operation of the exported partition from behind the export's position: in the order of the log.
  Status follow(const Operation& operation);

  PartitionId exported_partition() const { return exported_; }
  /// Where the exported partition's log goes on.
  Sequence next_sequence() const { return next_sequence_; }

 private:
  PartitionImport(Store& store, const Namespace& ns) : store_(store), ns_(ns) {}
  Status take_note(const Operation& note);
  Status take_rows(RecordReader rows);
  Status take_row(WriteAttempt& attempt, const Operation& row);
  Status erase_retry_rows(WriteAttempt& attempt, const Operation& operation);
  Status change(WriteAttempt& attempt, const Operation& operation);

  Store& store_;
  Namespace ns_;
  Sequence chunks_ = 0;
  std::uint64_t previous_hash_ = 0;
  PartitionId exported_{0};
  Sequence next_sequence_ = 0;
  SnapshotTotals totals_;
  bool begun_ = false;
  bool complete_ = false;
};

}  // namespace partita::shards
