// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "shards/log/record.h"
#include "shards/partitions/partition.h"
#include "shards/storage/repeated.h"
#include "shards/storage/session.h"
#include "wire/bson/writer.h"

namespace partita::shards {

class Store;

/// Where the data log stood at past checkpoints, so that what is older than a number of bytes can be cut off. Saved with
/// every checkpoint: a server that starts again goes on where the last one was.
class LogMarks {
 public:
  struct Mark {
    Sequence next;
    std::uint64_t bytes;  ///< Ever appended before it.
  };

  /// Notes a checkpoint. Those that lie closer together than a sixteenth of what is kept count as one.
  void add(Mark mark, std::uint64_t retention);
  /// The first record to keep when at least `retention` bytes shall be, and everything from `held` on; forgets the marks
  /// before it. 0: all of them.
  Sequence cut(std::uint64_t bytes, std::uint64_t retention, Sequence held);

  void append_to(bson::ArrayWriter& array) const;
  static LogMarks read(bson::View array);

 private:
  std::deque<Mark> marks_;
};

/// What a checkpoint saves about the logs, in one row.
struct SavedState {
  Time boundary = 0;
  std::array<Sequence, 2> next{1, 1};  ///< Where they go on: record numbers at the checkpoint.
  std::uint64_t data_bytes = 0;        ///< Ever appended to the data log.
  LogMarks marks;
};
Result<SavedState> load_saved_state(Session& session, TableId state_table);

/// Takes checkpoints: every so many seconds, when the log has grown by so much, and on demand. A checkpoint is a point in
/// time B. Everything up to B has committed; the counts as of B are written with B as their commit time; B becomes the
/// engine's stable time; the tables are checkpointed as of B. Recovery then replays the log from B on, and only that.
class Checkpointer {
 public:
  /// `saved` is what the last start left, with data_bytes brought up to what has been replayed. `soon`: the first one does
  /// not wait for its time. After a replay, so that a second crash need not replay it again.
  Checkpointer(Store& store, std::uint32_t seconds, std::uint64_t log_retention_bytes, SavedState saved, bool soon);
  ~Checkpointer();

  Status take();
  /// The thread's next one does not wait for its time.
  void hurry() { hurried_.store(true, std::memory_order_relaxed); }
  /// While it is held, the past is cut off no further (Store::hold_past).
  [[nodiscard]] std::shared_lock<std::shared_mutex> hold_past() { return std::shared_lock(past_); }
  /// While it is held, none is taken.
  [[nodiscard]] std::unique_lock<std::mutex> hold() { return std::unique_lock(taking_); }
  /// Ends the thread and takes a last one.
  Status stop();

  const Repeated& outcomes() const { return outcomes_; }

 private:
  void run(bool soon);
  void advance_oldest();
  Status take_locked();
  Status save(Time boundary, const std::array<Sequence, 2>& next);
  Status save_counts(Session& session, Time boundary);
  Status trim_log();
  std::uint64_t data_bytes() const;

  Store& store_;
  const std::chrono::seconds interval_;
  const std::uint64_t log_retention_bytes_;
  const std::uint64_t bytes_before_start_;
  LogMarks marks_;
  Repeated outcomes_{22438, "Checkpoint"};
  Repeated advances_{22439, "Moving the oldest readable time"};
  Repeated trims_{22440, "Cutting off the log"};
  Repeated paces_{22444, "Setting the pace of eviction"};
  Time last_visible_;  ///< At the last tick.
  std::mutex taking_;  ///< One at a time.
  std::shared_mutex past_;  ///< Shared by those who hold it, alone to cut it off.
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::atomic<bool> hurried_{false};
  std::thread thread_;
};

/// Counts of one partition, zero for one that has been made since.
Result<Growth> load_counts(Session& session, TableId state_table, PartitionId partition);
/// What was known of its keys; where nothing is saved, that they take no more than all of it.
Status load_activity(Session& session, TableId state_table, Partition& partition);
/// Index ids with their bits, of one segment.
using SavedBits = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
Result<SavedBits> load_multikey(Session& session, TableId state_table, SegmentId segment);

}  // namespace partita::shards
