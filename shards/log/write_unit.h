// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/applier.h"
#include "shards/log/log.h"

namespace partita::shards {

class Store;

/// One atomic change on its way into the log: every operation is drafted into a record and applied in one engine
/// transaction; commit() takes the record's position, hands it to the log, and makes all of it visible at once.
/// Left without commit(), nothing has happened. Belongs to one thread, which has one at a time: its buffers are the
/// thread's, so that a write allocates nothing.
class WriteUnit {
 public:
  WriteUnit(Store& store, Session& session);
  ~WriteUnit();
  WriteUnit(const WriteUnit&) = delete;
  WriteUnit& operator=(const WriteUnit&) = delete;

  Status begin(RecordKind kind = RecordKind::kOperations, LogId log = kDataLog);

  Status insert(const PartitionSlot& slot, Bytes key, bson::View document);
  /// `at` stands on the row, `before` is what it holds (and may be the cursor's own memory).
  Status update(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after);
  Status remove(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before);
  /// Notes that statements first..last of the session's transaction number are done, with this outcome.
  Status note_retry(PartitionId partition, const StatementId& id, const StatementOutcome& outcome);
  Status put_catalog_row(std::string_view key, bson::View row);
  Status erase_catalog_row(std::string_view key);

  bool empty() const { return buffers_.record.empty(); }
  std::size_t size() const { return buffers_.record.size(); }
  Session& session() { return session_; }

  /// The time at which it became visible. On failure nothing has happened; WriteConflict: do it again from the start.
  Result<Time> commit();
  void roll_back();

 private:
  struct Buffers {
    RecordWriter record;
    Effects effects;
    bson::Buffer scratch;
    Applier applier{Applier::Tables{}};
    bool in_use = false;
  };
  static Buffers& thread_buffers();

  Store& store_;
  Session& session_;
  std::optional<Transaction> transaction_;
  Buffers& buffers_;
};

}  // namespace partita::shards
