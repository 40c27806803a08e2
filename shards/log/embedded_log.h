// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/log.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// The log of a server that stands alone: rows of one journaled WiredTiger table, (log id, sequence) -> record, written
/// in the same transaction as the changes that they describe. Commit is the acknowledgement: writers run in parallel,
/// and one that fails after it has taken its position leaves a void record there.
class EmbeddedLog final : public PartitionLog {
 public:
  EmbeddedLog(Engine& engine, TableId table, LogId id, Positions& positions);

  /// Reads the last record to find where the log goes on. Returns the time of that record.
  Result<Time> recover();

  void append(Append& append) override;
  void settled(const Position& position, bool committed) override;
  /// Writes a void where a crash has left a gap.
  Status fill(const Position& gap);
  void acquire(Takeover& takeover) override;
  /// The same, for who need not wait: there is no other node to race with.
  Result<Epoch> acquire_now(std::string_view node);
  Result<std::unique_ptr<LogTail>> tail(Sequence from) override;
  Status truncate(Sequence before) override;
  Sequence end() const override { return positions_.next_sequence(id_); }
  std::uint64_t appended_bytes() const override { return appended_.load(std::memory_order_relaxed); }
  Epoch epoch() const { return epoch_; }

 private:
  Status write(Session& session, const Position& position, RecordWriter& record, Time closed);
  void leave_void(const Position& position);
  Status write_void(const Position& position, Time closed);

  Engine& engine_;
  const TableId table_;
  const LogId id_;
  Positions& positions_;
  Epoch epoch_ = 0;
  std::atomic<std::uint64_t> appended_{0};
};

}  // namespace partita::shards
