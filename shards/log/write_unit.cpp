// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/write_unit.h"

#include "query/updates/diff.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

Operation change(OperationType type, const PartitionSlot& slot, Bytes key, Bytes image) {
  return {type, slot.partition->id(), slot.partition->collection(), key, image};
}

}  // namespace

WriteUnit::Buffers& WriteUnit::thread_buffers() {
  thread_local Buffers buffers;
  return buffers;
}

WriteUnit::WriteUnit(Store& store, Session& session) : store_(store), session_(session), buffers_(thread_buffers()) {
  assert(!buffers_.in_use && "two write units at once on one thread could wait for each other");
  buffers_.in_use = true;
  buffers_.applier.use(store.tables());
}

WriteUnit::~WriteUnit() {
  roll_back();
  buffers_.in_use = false;
}

void WriteUnit::roll_back() {
  transaction_.reset();
  buffers_.effects.clear();
}

Status WriteUnit::begin(RecordKind kind, LogId log) {
  transaction_.reset();
  buffers_.effects.clear();
  buffers_.record.begin(kind, log);
  TRY(Transaction transaction, Transaction::begin(session_));
  transaction_.emplace(std::move(transaction));
  return {};
}

Status WriteUnit::insert(const PartitionSlot& slot, Bytes key, bson::View document) {
  CHECK_OK(buffers_.applier.insert(session_, slot, key, document, buffers_.effects));
  buffers_.record.add(change(OperationType::kInsert, slot, key, document.bytes()));
  return {};
}

Status WriteUnit::update(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after) {
  buffers_.scratch.clear();
  // The log need not hold the whole of a document of which little has changed.
  query::make_diff(before, after, buffers_.scratch);
  const bool smaller = buffers_.scratch.size() < after.size() / 2;
  buffers_.record.add(smaller ? change(OperationType::kUpdateDiff, slot, key, buffers_.scratch.bytes())
                              : change(OperationType::kUpdate, slot, key, after.bytes()));
  return buffers_.applier.update(session_, slot, at, key, before, after, buffers_.effects);
}

Status WriteUnit::remove(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before) {
  buffers_.record.add(change(OperationType::kDelete, slot, key, {}));
  return buffers_.applier.remove(session_, slot, at, key, before, buffers_.effects);
}

Status WriteUnit::note_retry(PartitionId partition, const StatementId& id, const StatementOutcome& outcome) {
  buffers_.scratch.clear();
  buffers_.scratch.put(id.transaction);
  append_statement(buffers_.scratch, outcome);
  const RetryKey key = retry_key(partition, id);
  buffers_.record.add({OperationType::kRetryRow, partition, {}, key, buffers_.scratch.bytes()});
  return buffers_.applier.put_retry_row(session_, key, buffers_.scratch.bytes());
}

Status WriteUnit::put_catalog_row(std::string_view key, bson::View row) {
  buffers_.record.add({OperationType::kCatalogPut, {}, {}, bytes_of(key), row.bytes()});
  return buffers_.applier.put_catalog_row(session_, bytes_of(key), row.bytes());
}

Status WriteUnit::erase_catalog_row(std::string_view key) {
  buffers_.record.add({OperationType::kCatalogDelete, {}, {}, bytes_of(key), {}});
  return buffers_.applier.erase_catalog_row(session_, bytes_of(key));
}

Result<Time> WriteUnit::commit() {
  PartitionLog& log = store_.log(buffers_.record.log());
  Append append;
  append.epoch = store_.epoch(buffers_.record.log());
  append.record = &buffers_.record;
  append.session = &session_;
  std::atomic<bool> answered{false};
  append.context = &answered;
  append.acknowledged = [](Append& done) {
    auto* flag = static_cast<std::atomic<bool>*>(done.context);
    flag->store(true, std::memory_order_release);
    flag->notify_one();
  };
  log.append(append);
  answered.wait(false, std::memory_order_acquire);  // The embedded log has answered already.
  if (!append.status.ok()) {
    roll_back();
    if (append.to_settle) log.settled(append.position, false);
    return std::move(append.status);
  }
  Status status = transaction_->commit(append.position.commit_time);
  transaction_.reset();
  // Counted before it is settled: a checkpoint waits for what is not settled, and must find its counts.
  if (status.ok()) buffers_.effects.count(append.position.commit_time, store_.checkpoint_boundary());
  log.settled(append.position, status.ok());
  buffers_.effects.clear();
  CHECK_OK(std::move(status));
  return append.position.commit_time;
}

}  // namespace partita::shards
