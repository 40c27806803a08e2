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
  applier_.use(tables);
}

template <RowSession Session>
Status BasicDraft<Session>::insert(Session& session, const PartitionSlot& slot, Bytes key, bson::View document) {
  CHECK_OK(applier_.insert(session, slot, key, document, effects_));
  record_.add(change(OperationType::kInsert, slot, key, document.bytes()));
  return {};
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
Status BasicDraft<Session>::note_retry(Session& session, PartitionId partition, const StatementId& id,
                                       const StatementOutcome& outcome) {
  scratch_.clear();
  scratch_.put(id.transaction);
  append_statement(scratch_, outcome);
  const RetryKey key = retry_key(partition, id);
  record_.add({OperationType::kRetryRow, partition, {}, key, scratch_.bytes()});
  return applier_.put_retry_row(session, key, scratch_.bytes());
}

template <RowSession Session>
Status BasicDraft<Session>::copy_retry_row(Session& session, Bytes key, Bytes row) {
  record_.add({OperationType::kRetryRow, partition_of(key), {}, key, row});
  return applier_.put_retry_row(session, key, row);
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

template class BasicDraft<Session>;
template class BasicDraft<MemorySession>;

}  // namespace partita::shards
