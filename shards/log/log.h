// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "shards/log/position.h"

namespace partita::shards {

/// One append on its way: the caller keeps it alive until `acknowledged` has been called with it.
struct Append {
  Epoch epoch = 0;
  RecordWriter* record = nullptr;
  /// Called once, perhaps before append() returns, perhaps on another thread. With an ok status the record has its
  /// place for good and the caller commits at position.commit_time; else it is lost and the caller rolls back.
  void (*acknowledged)(Append& append) = nullptr;
  void* context = nullptr;

  Status status;
  Position position;
  /// A failed append that has taken its position all the same: the caller settles it too, once it has rolled back.
  bool to_settle = false;
};

/// Taking a log over, on its way: the caller keeps it alive until `done` has been called with it.
struct Takeover {
  /// Names this run of this process and no other, earlier ones of its own included.
  std::string_view node;
  /// Called once, perhaps before acquire() returns, perhaps on another thread. With an ok status everything that older
  /// epochs have written is in the log or void for ever; else somebody else was faster.
  void (*done)(Takeover& takeover) = nullptr;
  void* context = nullptr;

  Status status;
  Epoch epoch = 0;
};

/// Reads a log from a position on, in order, up to what is visible. Not thread-safe; a snapshot of nothing: records may
/// be appended meanwhile, and the next call finds them.
class LogTail {
 public:
  virtual ~LogTail() = default;
  /// The next record, valid until the next call; nullopt when the tail has caught up.
  virtual Result<std::optional<Bytes>> next() = 0;
};

/// A sequence of records that outlives its writers. The embedded log is files beside the tables, MemoryLog a
/// simulation's, and a replicated log of several machines fits behind the same four verbs. Thread-safe.
class PartitionLog {
 public:
  virtual ~PartitionLog() = default;

  /// Gives the record a position and makes it durable as far as this log promises. Asynchronous: see Append.
  virtual void append(Append& append) = 0;
  /// The caller has committed (or rolled back, with `committed` false) what was acknowledged at `position`.
  virtual void settled(const Position& position, bool committed) = 0;
  /// Takes the log over: older writers' records are void from here on. Asynchronous: see Takeover.
  virtual void acquire(Takeover& takeover) = 0;
  virtual Result<std::unique_ptr<LogTail>> tail(Sequence from) = 0;
  /// Forgets records before this one.
  virtual Status truncate(Sequence before) = 0;
  /// The sequence number behind the last record.
  virtual Sequence end() const = 0;
  /// How much has been appended by this process: for deciding when to take a checkpoint and what to keep.
  virtual std::uint64_t appended_bytes() const = 0;
  virtual std::uint64_t appended_operations() const = 0;
};

}  // namespace partita::shards
