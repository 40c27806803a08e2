// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/applier.h"

#include <algorithm>

#include "query/keys/encode.h"
#include "query/updates/diff.h"
#include "shards/storage/memory_tables.h"

namespace partita::shards {

Bytes logical_key(const Sharding& sharding, Bytes record_key) {
  if (sharding.key.has_id()) return record_key;
  return record_key.first(sharding.key.logical_size(record_key));
}

void Effects::add(const PartitionSlot& slot, Bytes key, Growth growth) {
  if (growths_.empty() || growths_.back().partition != slot.partition.get()) growths_.push_back({slot.partition.get(), {}});
  growths_.back().growth += growth;
  ++growths_.back().operations;
  if (growth.bytes > 0) grown_ += growth.bytes;
  if (slot.sharding == nullptr) return;
  touch(slot, key, growth.bytes);
  changed_.push_back({slot.partition.get(), growth, keys_.size(), key.size()});
  keys_.append(key);
}

void Effects::touch(const PartitionSlot& slot, Bytes key, std::int64_t bytes) {
  const Bytes logical = logical_key(*slot.sharding, key);
  const std::uint64_t hash = hash_of_key(logical);
  if (slot.sharding->key.has_id()) bytes = 0;  // A key is one document: which are large says nothing about keys.
  if (!touched_.empty() && touched_.back().hash == hash && touched_.back().partition == slot.partition.get()) {
    touched_.back().bytes += bytes;
    ++touched_.back().operations;
    return;
  }
  touched_.push_back({slot.partition.get(), hash, bytes, 1, keys_.size(), logical.size()});  // The record key comes there.
}

void Effects::clear() {
  growths_.clear();
  touched_.clear();
  changed_.clear();
  keys_.clear();
  grown_ = 0;
  for (const Reserved& one : reserved_) {
    if (one.bytes > 0) one.partition->activity().release(one.hash, one.bytes);
  }
  reserved_.clear();
}

void Effects::count(Time commit_time, Time checkpoint_boundary, bool replayed) {
  for (const One& one : growths_) {
    one.partition->counters().add(one.growth, commit_time, checkpoint_boundary);
    if (!replayed) one.partition->activity().count(Activity::Kind::kWrite, one.operations);
  }
  for (const Touched& one : touched_) {
    const std::int64_t reserved = reserved_.empty() ? 0 : take_reserved(*one.partition, one.hash);
    one.partition->activity().feed({one.hash, key(one.key_at, one.key_size), one.bytes, one.operations, reserved}, commit_time, replayed);
  }
  for (const Changed& one : changed_) {
    PrefixCount& prefix = one.partition->prefix_count();
    if (prefix.counts()) [[unlikely]] prefix.note(key(one.key_at, one.key_size), one.growth, commit_time);
  }
}

Growth Effects::growth_of(const Partition& partition) const {
  Growth growth;
  for (const One& one : growths_) {
    if (one.partition == &partition) growth += one.growth;
  }
  return growth;
}

std::int64_t Effects::gained(const Partition& partition, std::uint64_t hash) const {
  std::int64_t gained = 0;
  for (const Touched& one : touched_) {
    if (one.hash == hash && one.partition == &partition) gained += one.bytes;
  }
  for (const Reserved& one : reserved_) {
    if (one.hash == hash && one.partition.get() == &partition) gained -= one.bytes;
  }
  return gained;
}

void Effects::reserved(std::shared_ptr<Partition> partition, std::uint64_t hash, std::int64_t bytes) {
  for (Reserved& one : reserved_) {
    if (one.hash != hash || one.partition != partition) continue;
    one.bytes += bytes;
    return;
  }
  reserved_.push_back({std::move(partition), hash, bytes});
}

std::int64_t Effects::take_reserved(const Partition& partition, std::uint64_t hash) {
  const auto same = [&](const Reserved& one) { return one.hash == hash && one.partition.get() == &partition; };
  const auto known = std::ranges::find_if(reserved_, same);
  return known == reserved_.end() ? 0 : std::exchange(known->bytes, 0);
}

template <RowSession Session>
Status BasicApplier<Session>::insert(Session& session, const PartitionSlot& slot, Bytes key, bson::View document, Effects& effects) {
  TRY(Cursor cursor, session.cursor(slot.partition->records()));
  if (slot.claims != kNoTable) CHECK_OK(claim_id(session, slot, document));
  CHECK_OK(cursor.insert(key, document.bytes()));
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.insert(session, *index, key, document));
  effects.add(slot, key, {1, document.size()});
  return {};
}

// One row for each _id of the whole collection: two writers who want the same one meet there, whichever partitions they are
// in. It says no more than that, so that it stays true when the collection is divided by another key. (A document that moves
// is removed and inserted in one transaction.)
template <RowSession Session>
Status BasicApplier<Session>::claim_id(Session& session, const PartitionSlot& slot, bson::View document) {
  id_.clear();
  query::keys::encode(document["_id"], id_, nullptr, slot.collation);
  TRY(Cursor claims, session.cursor(slot.claims));
  return claims.insert(id_.bytes(), {});
}

template <RowSession Session>
Status BasicApplier<Session>::free_id(Session& session, const PartitionSlot& slot, bson::View document) {
  id_.clear();
  query::keys::encode(document["_id"], id_, nullptr, slot.collation);
  TRY(Cursor claims, session.cursor(slot.claims));
  return claims.remove(id_.bytes()).status();
}

template <RowSession Session>
Status BasicApplier<Session>::update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                       bson::View after, Effects& effects) {
  const std::int64_t growth = std::int64_t{after.size()} - before.size();
  // Indexes first: `before` may lie in the page under the cursor, and dies with the update.
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.update(session, *index, key, before, after));
  CHECK_OK(at.update_here(after.bytes()));
  effects.add(slot, key, {0, growth});
  return {};
}

template <RowSession Session>
Status BasicApplier<Session>::remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                       Effects& effects) {
  const std::int64_t size = before.size();
  if (slot.claims != kNoTable) CHECK_OK(free_id(session, slot, before));
  for (const auto& index : slot.indexes) CHECK_OK(index_writer_.remove(session, *index, key, before));
  CHECK_OK(at.remove_here());
  effects.add(slot, key, {-1, -size});
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
Status BasicApplier<Session>::replace_retry_row(Cursor& at, Bytes statements) {
  return at.update_here(statements);
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
