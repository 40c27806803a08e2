// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/applier.h"
#include "shards/sessions/retry_rows.h"

namespace partita::shards {

/// What a note of statements knows about their transaction number in the partition.
enum class Begun : std::uint8_t { kUnknown, kNew };

/// A document on its way into a partition, under its record key.
struct NewDocument {
  const PartitionSlot* slot;
  Bytes key;
  bson::View document;
};

/// A change being decided: every operation is written into a record and applied, in the caller's transaction, through
/// the same primitives that will replay it. Keeps its buffers from one record to the next. One thread.
template <RowSession Session>
class BasicDraft {
 public:
  using Cursor = typename BasicApplier<Session>::Cursor;

  void begin(RecordKind kind, LogId log, ApplierTables tables);

  Status insert(Session& session, const NewDocument& one);
  // Its two steps, for many documents that go into their tables in another order than into the record.
  Status apply_insert(Session& session, const NewDocument& one);
  void note_insert(const NewDocument& one);
  /// `at` stands on the row, `before` is what it holds (and may be the cursor's own memory).
  Status update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after);
  Status remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before);
  /// Whether a statement has come before. Where its transaction number is a new one this goes on standing on the session's
  /// row, which note_retry() then writes without another descent: until that or release(), which comes before the
  /// transaction ends.
  Result<EarlierStatement> find_statement(Session& session, const PartitionSlot& slot, const StatementId& id);
  void release() { standing_.reset(); }
  /// Notes that statements of the session's transaction number are done. `now` says until when that is remembered; kNew,
  /// which saves a descent, that find_statement() has found nothing of that number here, in this transaction.
  Status note_retry(Session& session, PartitionId partition, const StatementId& id, const DoneStatements& done, Time now,
                    Begun begun = Begun::kUnknown);
  /// What a row holds, added to that of the key: what an import does.
  Status copy_retry_row(Session& session, Bytes key, Bytes row);
  Status erase_retry_row(Session& session, Bytes key);
  Status put_catalog_row(Session& session, std::string_view key, bson::View row);
  Status erase_catalog_row(Session& session, std::string_view key);
  Status retire_catalog_row(Session& session, std::string_view key);

  RecordWriter& record() { return record_; }
  const RecordWriter& record() const { return record_; }
  Effects& effects() { return effects_; }

 private:
  Status put_first_row(Session& session, PartitionId partition, const StatementId& id, const DoneStatements* done, Time now,
                       Begun begun);
  Status put_own_row(Session& session, PartitionId partition, const StatementId& id, const DoneStatements& done, Time now);

  RecordWriter record_;
  Effects effects_;
  bson::Buffer scratch_;
  struct Standing {
    RetryKey key;
    Cursor at;
  };
  std::optional<Standing> standing_;
  ApplierTables tables_;
  BasicApplier<Session> applier_{ApplierTables{}};
};
using Draft = BasicDraft<Session>;

}  // namespace partita::shards
