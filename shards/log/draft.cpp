// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/draft.h"

#include "query/updates/diff.h"
#include "shards/storage/memory_tables.h"

namespace partita::shards {
namespace {

Operation change(OperationType type, const PartitionSlot& slot, Bytes key, Bytes image) {
  return {type, slot.partition->id(), slot.partition->collection(), key, image};
}

}  // namespace

template <RowSession Session>
void BasicDraft<Session>::begin(RecordKind kind, LogId log, ApplierTables tables) {
  record_.begin(kind, log);
  effects_.clear();
  tables_ = tables;
  applier_.use(tables);
}

template <RowSession Session>
Status BasicDraft<Session>::insert(Session& session, const NewDocument& one) {
  CHECK_OK(apply_insert(session, one));
  note_insert(one);
  return {};
}

template <RowSession Session>
Status BasicDraft<Session>::apply_insert(Session& session, const NewDocument& one) {
  return applier_.insert(session, *one.slot, one.key, one.document, effects_);
}

template <RowSession Session>
void BasicDraft<Session>::note_insert(const NewDocument& one) {
  record_.add(change(OperationType::kInsert, *one.slot, one.key, one.document.bytes()));
}

template <RowSession Session>
Status BasicDraft<Session>::update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                                   bson::View after) {
  scratch_.clear();
  // The log need not hold the whole of a document of which little has changed.
  query::make_diff(before, after, scratch_);
  const bool smaller = scratch_.size() < after.size() / 2;
  record_.add(smaller ? change(OperationType::kUpdateDiff, slot, key, scratch_.bytes())
                      : change(OperationType::kUpdate, slot, key, after.bytes()));
  return applier_.update(session, slot, at, key, before, after, effects_);
}

template <RowSession Session>
Status BasicDraft<Session>::remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key,
                                   bson::View before) {
  record_.add(change(OperationType::kDelete, slot, key, {}));
  return applier_.remove(session, slot, at, key, before, effects_);
}

template <RowSession Session>
Result<EarlierStatement> BasicDraft<Session>::find_statement(Session& session, const PartitionSlot& slot,
                                                             const StatementId& id) {
  release();
  if (!slot.inherits.empty()) return shards::find_statement(session, tables_.retry, slot, id);  // For a while after a split.
  const PartitionId partition = slot.partition->id();
  TRY(Cursor rows, session.cursor(tables_.retry));
  TRY(EarlierStatement earlier, find_statement_by(rows, partition, id));
  if (earlier.known && !earlier.begun) standing_.emplace(Standing{retry_key(partition, id, 0), std::move(rows)});
  return earlier;
}

// A range that covers a block or more lies in block 0 as one; so long ones are few, and a search for any of their statements
// finds them there. A shorter one lies with its neighbours, in two rows where it reaches from one block into the next.
template <RowSession Session>
Status BasicDraft<Session>::note_retry(Session& session, PartitionId partition, const StatementId& id,
                                       const DoneStatements& done, Time now, Begun begun) {
  const std::uint32_t first = block_of(done.first);
  const std::uint32_t last = block_of(done.last);
  const bool is_long = std::int64_t{done.last} - done.first >= kStatementsInBlock - 1;
  if (is_long || last == 0) return put_first_row(session, partition, id, &done, now, begun);
  if (begun == Begun::kUnknown) {
    TRY(const bool known, has_begun(session, tables_.retry, partition, id, now));
    if (!known) CHECK_OK(put_first_row(session, partition, id, nullptr, now, begun));
  } else {
    CHECK_OK(put_first_row(session, partition, id, nullptr, now, begun));
  }
  if (first == last) return put_own_row(session, partition, id, done, now);
  DoneStatements front = done;
  DoneStatements back = done;
  back.first = static_cast<std::int32_t>(last * kStatementsInBlock);
  front.last = static_cast<std::int32_t>(last * kStatementsInBlock - 1);
  CHECK_OK(put_own_row(session, partition, id, front, now));
  return put_own_row(session, partition, id, back, now);
}

template <RowSession Session>
Status BasicDraft<Session>::put_first_row(Session& session, PartitionId partition, const StatementId& id,
                                          const DoneStatements* done, Time now, Begun begun) {
  scratch_.clear();
  begin_retry_row(scratch_, id.transaction, now);
  if (done != nullptr) append_statements(scratch_, *done);
  const RetryKey key = retry_key(partition, id, 0);
  if (begun == Begun::kUnknown) return copy_retry_row(session, key, scratch_.bytes());
  record_.add({OperationType::kRetryRow, partition, {}, key, scratch_.bytes()});
  if (!standing_ || standing_->key != key) return applier_.replace_retry_row(session, key, scratch_.bytes());
  Status status = applier_.replace_retry_row(standing_->at, scratch_.bytes());
  release();  // What follows within this statement finds the table's cursor free.
  return status;
}

template <RowSession Session>
Status BasicDraft<Session>::put_own_row(Session& session, PartitionId partition, const StatementId& id,
                                        const DoneStatements& done, Time now) {
  scratch_.clear();
  begin_retry_row(scratch_, id.transaction, now);
  append_statements(scratch_, done);
  return copy_retry_row(session, retry_key(partition, id, block_of(done.first)), scratch_.bytes());
}

template <RowSession Session>
Status BasicDraft<Session>::copy_retry_row(Session& session, Bytes key, Bytes row) {
  TRY(const bool changed, applier_.put_retry_row(session, key, row));
  if (changed) record_.add({OperationType::kRetryRow, partition_of(key), {}, key, row});
  return {};
}

template <RowSession Session>
Status BasicDraft<Session>::erase_retry_row(Session& session, Bytes key) {
  TRY(const bool changed, applier_.erase_retry_row(session, key));
  if (changed) record_.add({OperationType::kRetryDelete, partition_of(key), {}, key, {}});
  return {};
}

template <RowSession Session>
Status BasicDraft<Session>::put_catalog_row(Session& session, std::string_view key, bson::View row) {
  record_.add({OperationType::kCatalogPut, {}, {}, bytes_of(key), row.bytes()});
  return applier_.put_catalog_row(session, bytes_of(key), row.bytes());
}

template <RowSession Session>
Status BasicDraft<Session>::erase_catalog_row(Session& session, std::string_view key) {
  record_.add({OperationType::kCatalogDelete, {}, {}, bytes_of(key), {}});
  return applier_.erase_catalog_row(session, bytes_of(key));
}

template <RowSession Session>
Status BasicDraft<Session>::retire_catalog_row(Session& session, std::string_view key) {
  record_.add({OperationType::kCatalogRetire, {}, {}, bytes_of(key), {}});
  return applier_.retire_catalog_row(session, bytes_of(key));
}

template class BasicDraft<Session>;
template class BasicDraft<MemorySession>;

}  // namespace partita::shards
