// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/log_files.h"

namespace partita::shards {

/// A log of a server that stands alone, in files beside the tables. A record is the kernel's before its changes are
/// committed, and that is the acknowledgement: writers run in parallel, and one that fails after it has taken its position
/// leaves a void record there. What the tables have of a change that was not written to the log is gone with the process,
/// for they are no more on the disk than their last checkpoint.
class EmbeddedLog final : public PartitionLog {
 public:
  EmbeddedLog(LogFiles& files, LogId id, Positions& positions) : files_(files), id_(id), positions_(positions) {}

  /// Goes on where recovery has found the end.
  void resume(const LogEnd& end);

  void append(Append& append) override;
  void settled(const Position& position, bool committed) override;
  void acquire(Takeover& takeover) override;
  /// The same, for who need not wait: there is no other node to race with.
  Result<Epoch> acquire_now(std::string_view node);
  Result<std::unique_ptr<LogTail>> tail(Sequence from) override { return files_.tail(id_, from); }
  /// Removes whole files, those of the other log's records of that time with them.
  Status truncate(Sequence before) override { return files_.truncate(before); }
  Sequence end() const override { return positions_.next_sequence(id_); }
  std::uint64_t appended_bytes() const override { return appended_.load(std::memory_order_relaxed); }
  std::uint64_t appended_operations() const override { return operations_.load(std::memory_order_relaxed); }
  Epoch epoch() const { return epoch_; }

 private:
  Status write(const Position& position, RecordWriter& record, Time closed);
  void leave_void(const Position& position);

  LogFiles& files_;
  const LogId id_;
  Positions& positions_;
  Epoch epoch_ = 0;
  std::atomic<std::uint64_t> appended_{0};
  std::atomic<std::uint64_t> operations_{0};
};

}  // namespace partita::shards
