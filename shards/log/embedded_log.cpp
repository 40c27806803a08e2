// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/embedded_log.h"

#include "shards/storage/fail_point.h"
#include "shards/storage/fatal.h"

namespace partita::shards {
namespace {

FailPoint before_write{"logBeforeWrite", "A record has its position, and is not written."};

}  // namespace

void EmbeddedLog::resume(const LogEnd& end) {
  epoch_ = end.epoch;
  positions_.resume(id_, end.epoch, end.next);
}

Status EmbeddedLog::write(const Position& position, RecordWriter& record, Time closed) {
  const Bytes bytes = record.finish(position.epoch, position.sequence, position.commit_time, closed);
  appended_.fetch_add(bytes.size(), std::memory_order_relaxed);
  operations_.fetch_add(record.operations(), std::memory_order_relaxed);
  return files_.write(position, bytes);
}

void EmbeddedLog::append(Append& append) {
  append.status = append.epoch == epoch_ ? Status() : error(Code::NotWritablePrimary, "the log has a newer sequencer");
  if (append.status.ok()) {
    Result<Position> position = files_.take(id_, append.record->size());
    append.to_settle = position.ok();
    if (position.ok()) {
      append.position = *position;
      append.status = before_write.hit();
      if (append.status.ok()) append.status = write(append.position, *append.record, positions_.visible());
    } else {
      append.status = std::move(position).status();
    }
  }
  append.acknowledged(append);
}

void EmbeddedLog::settled(const Position& position, bool committed) {
  if (!committed) leave_void(position);
  positions_.done(position);
}

void EmbeddedLog::leave_void(const Position& position) {
  RecordWriter record;
  record.begin(RecordKind::kVoid, id_);
  const Status status = write(position, record, positions_.visible());
  // A gap that stays would keep every reader of the log waiting for ever, and so the server's stop.
  if (!status.ok()) end_process(22441, "The log has a gap that cannot be filled", status);
}

void EmbeddedLog::acquire(Takeover& takeover) {
  Result<Epoch> epoch = acquire_now(takeover.node);
  if (epoch.ok()) {
    takeover.epoch = *epoch;
  } else {
    takeover.status = epoch.status();
  }
  takeover.done(takeover);
}

Result<Epoch> EmbeddedLog::acquire_now(std::string_view node) {
  const Epoch next = epoch_ + 1;
  RecordWriter record;
  record.begin(RecordKind::kEpoch, id_);
  record.add(epoch_operation(node));
  positions_.resume(id_, next, positions_.next_sequence(id_));
  TRY(const Position position, files_.take(id_, record.size()));
  const Status status = write(position, record, positions_.visible());
  if (!status.ok()) leave_void(position);
  positions_.done(position);
  CHECK_OK(status);
  return epoch_ = next;
}

}  // namespace partita::shards
