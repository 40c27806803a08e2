// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/write_unit.h"

#include "shards/partitions/count_keys.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

FailPoint before_commit{"storageBeforeCommit", "The log record has been put, its transaction is still open."};
FailPoint before_count{"storageBeforeCount", "A change can be seen, and counters do not know of it yet."};

}  // namespace

// One key's share of the limit is told by the partition's sketch: never too low, and exactly once it has been counted.
Status WriteUnit::check_logical_key(const PartitionSlot& slot, Bytes key, std::int64_t growth) {
  if (slot.sharding->split_logical || slot.sharding->key.has_id()) return {};
  const Bytes logical = logical_key(*slot.sharding, key);
  const std::uint64_t hash = hash_of_key(logical);
  Partition& partition = *slot.partition;
  Effects& effects = buffers_.draft.effects();
  const KeyTouch touch{.hash = hash, .key = logical, .bytes = growth};
  switch (partition.activity().reserve(touch, effects.gained(partition, hash), logical_limit_, partition.counters(), partition.gate())) {
    case Activity::Room::kReserved:
      effects.reserved(slot.partition, hash, growth);
      return {};
    case Activity::Room::kFull:
      return error(Code::PartitionKeyTooLarge, "partition key reached maximum size of ", shown_size(logical_limit_));
    case Activity::Room::kUnknown:
      break;
  }
  uncounted_ = Uncounted{slot.partition, std::string(reinterpret_cast<const char*>(logical.data()), logical.size())};
  return error(Code::StaleConfig, "the logical key has to be counted first");
}

Status WriteUnit::insert_all(std::span<const NewDocument> documents, std::span<const std::uint32_t> order) {
  for (const std::uint32_t place : order) {
    const NewDocument& one = documents[place];
    CHECK_OK(check_room(*one.slot, one.key, one.document.size()));
    CHECK_OK(buffers_.draft.apply_insert(session_, one));
  }
  for (const NewDocument& one : documents) buffers_.draft.note_insert(one);
  return {};
}

WriteUnit::Buffers& WriteUnit::thread_buffers() {
  thread_local Buffers buffers;
  return buffers;
}

WriteUnit::WriteUnit(Store& store, Session& session) : store_(store), session_(session), buffers_(thread_buffers()) {
  assert(!buffers_.in_use && "two write units at once on one thread could wait for each other");
  buffers_.in_use = true;
}

WriteUnit::~WriteUnit() {
  roll_back();
  buffers_.in_use = false;
}

void WriteUnit::roll_back() {
  buffers_.draft.release();
  transaction_.reset();
  buffers_.draft.effects().clear();
}

Status WriteUnit::begin(RecordKind kind, LogId log) {
  roll_back();
  buffers_.draft.begin(kind, log, store_.tables());
  TRY(Transaction transaction, Transaction::begin(session_));
  transaction_.emplace(std::move(transaction));
  return {};
}

Status WriteUnit::note_retry(PartitionId partition, const StatementId& id, const DoneStatements& done,
                             Begun begun) {
  return buffers_.draft.note_retry(session_, partition, id, done, store_.clock().tick(), begun);
}

Result<Time> WriteUnit::commit() {
  buffers_.draft.release();
  RecordWriter& record = buffers_.draft.record();
  PartitionLog& log = store_.log(record.log());
  Append append;
  append.epoch = store_.epoch(record.log());
  append.record = &record;
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
  Status status = before_commit.hit();
  if (status.ok()) status = transaction_->commit(append.position.commit_time);
  transaction_.reset();
  if (status.ok()) before_count.pass();
  // Counted before it is settled: a checkpoint waits for what is not settled, and must find its counts.
  if (status.ok()) buffers_.draft.effects().count(append.position.commit_time, store_.checkpoint_boundary());
  log.settled(append.position, status.ok());
  buffers_.draft.effects().clear();
  CHECK_OK(std::move(status));
  return append.position.commit_time;
}

}  // namespace partita::shards
