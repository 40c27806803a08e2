// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "shards/log/record.h"
#include "shards/partitions/counters.h"
#include "shards/storage/session.h"

namespace partita::shards {

class Store;

/// Takes checkpoints: every so many seconds, when the log has grown by so much, and on demand. A checkpoint is a point in
/// time B. Everything up to B has committed; the counts as of B are written with B as their commit time; B becomes the
/// engine's stable time; the tables are checkpointed as of B. Recovery then replays the log from B on, and only that.
class Checkpointer {
 public:
  /// `soon`: the first one does not wait for its time. After a replay, so that a second crash need not replay it again.
  Checkpointer(Store& store, std::uint32_t seconds, std::uint64_t log_retention_bytes, bool soon);
  ~Checkpointer();

  Status take();
  /// While it is held, the past is cut off no further (Store::hold_past).
  [[nodiscard]] std::shared_lock<std::shared_mutex> hold_past() { return std::shared_lock(past_); }
  /// Ends the thread and takes a last one.
  Status stop();

 private:
  void run(bool soon);
  void advance_oldest();
  void trim_log(Sequence next);
  Status save_counts(Session& session, Time boundary);

  /// Where the data log stood at a past checkpoint.
  struct Mark {
    Sequence next;
    std::uint64_t bytes;  ///< Appended since this process started.
  };

  Store& store_;
  const std::chrono::seconds interval_;
  const std::uint64_t log_retention_bytes_;
  std::deque<Mark> marks_;
  Time last_visible_;  ///< At the last tick.
  std::mutex taking_;  ///< One at a time.
  std::shared_mutex past_;  ///< Shared by those who hold it, alone to cut it off.
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

/// Reads back what the last checkpoint saved. Where the logs go on: record numbers at the checkpoint.
struct SavedState {
  Time boundary = 0;
  std::array<Sequence, 2> next{1, 1};
};
Result<SavedState> load_saved_state(Session& session, TableId state_table);
/// Counts of one partition, zero for one that has been made since.
struct SavedCounts {
  Growth growth;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> multikey;  ///< Index id, its bits.
};
Result<SavedCounts> load_counts(Session& session, TableId state_table, PartitionId partition);

}  // namespace partita::shards
