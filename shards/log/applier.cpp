// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/applier.h"

#include <algorithm>

#include "query/updates/diff.h"
#include "shards/storage/memory_tables.h"

namespace partita::shards {

void Effects::add(Partition& partition, Growth growth) {
  if (growths.empty() || growths.back().partition != &partition) {
    growths.push_back({&partition, growth});
  } else {
    growths.back().growth += growth;
  }
}

void Effects::count(Time commit_time, Time checkpoint_boundary) const {
  for (const One& one : growths) one.partition->counters().add(one.growth, commit_time, checkpoint_boundary);
}

template <RowSession Session>
Status BasicApplier<Session>::insert(Session& session, const PartitionSlot& slot, Bytes key, bson::View document, Effects& effects) {
  TRY(Cursor cursor, session.cursor(slot.partition->records()));
  CHECK_OK(cursor.insert(key, document.bytes()));
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.insert(session, *index, key, document));
  effects.add(*slot.partition, {1, document.size()});
  return {};
}

template <RowSession Session>
Status BasicApplier<Session>::update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                       bson::View after, Effects& effects) {
  const std::int64_t growth = std::int64_t{after.size()} - before.size();
  // Indexes first: `before` may lie in the page under the cursor, and dies with the update.
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.update(session, *index, key, before, after));
  CHECK_OK(at.update_here(after.bytes()));
  effects.add(*slot.partition, {0, growth});
  return {};
}

template <RowSession Session>
Status BasicApplier<Session>::remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                       Effects& effects) {
  const std::int64_t size = before.size();
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.remove(session, *index, key, before));
  CHECK_OK(at.remove_here());
  effects.add(*slot.partition, {-1, -size});
  return {};
}

template <RowSession Session>
Result<bool> BasicApplier<Session>::put_retry_row(Session& session, Bytes key, Bytes statements) {
  TRY(Cursor cursor, session.cursor(tables_.retry));
  TRY(const bool there, cursor.find(key));
  if (!there) {
    CHECK_OK(cursor.insert(key, statements));
    return true;
  }
  const Bytes before = cursor.value();
  TRY(const Bytes after, merge_retry_rows(before, statements, after_));
  if (after.data() == before.data()) return false;
  CHECK_OK(cursor.update_here(after));
  return true;
}

template <RowSession Session>
Status BasicApplier<Session>::replace_retry_row(Session& session, Bytes key, Bytes statements) {
  TRY(Cursor cursor, session.cursor(tables_.retry));
  return cursor.put(key, statements);
}

template <RowSession Session>
Result<bool> BasicApplier<Session>::erase_retry_row(Session& session, Bytes key) {
  TRY(Cursor cursor, session.cursor(tables_.retry));
  return cursor.remove(key);
}

template <RowSession Session>
Status BasicApplier<Session>::put_catalog_row(Session& session, Bytes key, Bytes row) {
  TRY(Cursor cursor, session.cursor(tables_.catalog));
  return cursor.put(key, row);
}

template <RowSession Session>
Status BasicApplier<Session>::erase_catalog_row(Session& session, Bytes key) {
  TRY(Cursor cursor, session.cursor(tables_.catalog));
  CHECK_OK(cursor.remove(key));
  TRY(const RowKey row, RowKey::decode(key));
  if (row.kind != RowKind::kPartition) return {};
  const RetryRange range = retry_range(row.partition);
  return session.remove_range(tables_.retry, range.lower, range.upper ? Bytes(*range.upper) : Bytes());
}

template <RowSession Session>
Status BasicApplier<Session>::retire_catalog_row(Session& session, Bytes key) {
  TRY(Cursor cursor, session.cursor(tables_.catalog));
  return cursor.remove(key).status();
}

template <RowSession Session>
Status BasicApplier<Session>::apply(Session& session, const Operation& operation, CatalogState& state, Effects& effects) {
  switch (operation.type) {
    case OperationType::kCatalogPut:
      CHECK_OK(put_catalog_row(session, operation.key, operation.image));
      return state.put(operation.key, bson::View::trusted(operation.image.data()));
    case OperationType::kCatalogDelete:
      CHECK_OK(erase_catalog_row(session, operation.key));
      return state.erase(operation.key);
    case OperationType::kCatalogRetire:
      CHECK_OK(retire_catalog_row(session, operation.key));
      return state.erase(operation.key);
    case OperationType::kRetryRow:
      // Of a partition that is gone there must be no row, for nobody would remove it: see below.
      if (state.slot(operation.partition) == nullptr) return {};
      return put_retry_row(session, operation.key, operation.image).status();
    case OperationType::kRetryDelete:
      return erase_retry_row(session, operation.key).status();
    case OperationType::kInsert:
    case OperationType::kUpdate:
    case OperationType::kUpdateDiff:
    case OperationType::kDelete: {
      // A partition that a later record of log 0 drops may be gone from the catalog already: its rows are of no use.
      const PartitionSlot* slot = state.slot(operation.partition);
      return slot == nullptr ? Status() : replay_change(session, operation, *slot, effects);
    }
  }
  return error(Code::DataModifiedByRepair, "log operation of an unknown type: ", static_cast<int>(operation.type));
}

template <RowSession Session>
Status BasicApplier<Session>::replay_change(Session& session, const Operation& operation, const PartitionSlot& slot,
                              Effects& effects) {
  const auto image = [&] { return bson::View::trusted(operation.image.data()); };
  if (operation.type == OperationType::kInsert) return insert(session, slot, operation.key, image(), effects);
  TRY(Cursor cursor, session.cursor(slot.partition->records()));
  TRY(const bool there, cursor.find(operation.key));
  if (!there) return error(Code::DataModifiedByRepair, "the log changes a document that is not there");
  before_.clear();
  before_.append(cursor.value());
  const bson::View before = bson::View::trusted(before_.data());
  if (operation.type == OperationType::kDelete) {
    return remove(session, slot, cursor, operation.key, before, effects);
  }
  if (operation.type == OperationType::kUpdate) {
    return update(session, slot, cursor, operation.key, before, image(), effects);
  }
  after_.clear();
  CHECK_OK(query::apply_diff(before, operation.image, after_));
  return update(session, slot, cursor, operation.key, before, bson::View::trusted(after_.data()), effects);
}

template class BasicApplier<Session>;
template class BasicApplier<MemorySession>;

}  // namespace partita::shards
