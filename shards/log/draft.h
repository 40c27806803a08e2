// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/applier.h"

namespace partita::shards {

/// A change being decided: every operation is written into a record and applied, in the caller's transaction, through
/// the same primitives that will replay it. Keeps its buffers from one record to the next. One thread.
template <RowSession Session>
class BasicDraft {
 public:
  using Cursor = typename BasicApplier<Session>::Cursor;

  void begin(RecordKind kind, LogId log, ApplierTables tables);

  Status insert(Session& session, const PartitionSlot& slot, Bytes key, bson::View document);
  /// `at` stands on the row, `before` is what it holds (and may be the cursor's own memory).
  Status update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after);
  Status remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before);
  /// Notes that statements first..last of the session's transaction number are done, with this outcome.
  Status note_retry(Session& session, PartitionId partition, const StatementId& id, const StatementOutcome& outcome);
  /// A whole row, where there is none yet: what an import does.
  Status copy_retry_row(Session& session, Bytes key, Bytes row);
  Status put_catalog_row(Session& session, std::string_view key, bson::View row);
  Status erase_catalog_row(Session& session, std::string_view key);

  RecordWriter& record() { return record_; }
  const RecordWriter& record() const { return record_; }
  Effects& effects() { return effects_; }

 private:
  RecordWriter record_;
  Effects effects_;
  bson::Buffer scratch_;
  BasicApplier<Session> applier_{ApplierTables{}};
};
using Draft = BasicDraft<Session>;

}  // namespace partita::shards
