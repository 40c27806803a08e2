// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/draft.h"
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

  // What may be changed, each as Draft has it.
  Status insert(const PartitionSlot& slot, Bytes key, bson::View document) {
    return buffers_.draft.insert(session_, slot, key, document);
  }
  Status update(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after) {
    return buffers_.draft.update(session_, slot, at, key, before, after);
  }
  Status remove(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before) {
    return buffers_.draft.remove(session_, slot, at, key, before);
  }
  Status note_retry(PartitionId partition, const StatementId& id, const DoneStatements& done,
                    Begun begun = Begun::kUnknown);
  Status copy_retry_row(Bytes key, Bytes row) { return buffers_.draft.copy_retry_row(session_, key, row); }
  Status erase_retry_row(Bytes key) { return buffers_.draft.erase_retry_row(session_, key); }
  Status put_catalog_row(std::string_view key, bson::View row) {
    return buffers_.draft.put_catalog_row(session_, key, row);
  }
  Status erase_catalog_row(std::string_view key) { return buffers_.draft.erase_catalog_row(session_, key); }
  Status retire_catalog_row(std::string_view key) { return buffers_.draft.retire_catalog_row(session_, key); }

  bool empty() const { return buffers_.draft.record().empty(); }
  std::size_t size() const { return buffers_.draft.record().size(); }
  Session& session() { return session_; }

  /// The time at which it became visible. On failure nothing has happened; WriteConflict: do it again from the start.
  Result<Time> commit();
  void roll_back();

 private:
  struct Buffers {
    Draft draft;
    bool in_use = false;
  };
  static Buffers& thread_buffers();

  Store& store_;
  Session& session_;
  std::optional<Transaction> transaction_;
  Buffers& buffers_;
};

}  // namespace partita::shards
