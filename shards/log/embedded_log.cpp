// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/embedded_log.h"

#include "shards/storage/fatal.h"

namespace partita::shards {
namespace {

using Key = std::array<std::uint8_t, 12>;

/// Log id and sequence number, big-endian, so that the table's order is the log's.
Key row_key(LogId log, Sequence sequence) {
  Key key;
  for (int i = 0; i < 4; ++i) key[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(log) >> (24 - 8 * i));
  for (int i = 0; i < 8; ++i) key[4 + i] = static_cast<std::uint8_t>(sequence >> (56 - 8 * i));
  return key;
}

class EmbeddedTail final : public LogTail {
 public:
  EmbeddedTail(Engine& engine, TableId table, LogId id, Positions& positions, Sequence from)
      : engine_(engine), table_(table), id_(id), positions_(positions), next_(from) {}

  Result<std::optional<Bytes>> next() override {
    // Taken first: whatever commits at or before this time is in the table by now.
    const Time visible = positions_.visible();
    TRY(const SessionLease session, SessionLease::take(engine_));
    TRY(Cursor cursor, session->cursor(table_));
    const Key from = row_key(id_, next_);
    TRY(const bool any, cursor.find_from(from));
    if (!any || std::memcmp(cursor.key().data(), from.data(), 4) != 0) return std::optional<Bytes>();
    const Bytes stored = cursor.value();
    TRY(const RecordHeader header, read_header(stored));
    if (header.commit_time > visible) return std::optional<Bytes>();
    record_.assign(stored.begin(), stored.end());
    next_ = header.sequence + 1;
    return std::optional<Bytes>(record_);
  }

 private:
  Engine& engine_;
  const TableId table_;
  const LogId id_;
  Positions& positions_;
  Sequence next_;
  std::vector<std::uint8_t> record_;
};

}  // namespace

EmbeddedLog::EmbeddedLog(Engine& engine, TableId table, LogId id, Positions& positions)
    : engine_(engine), table_(table), id_(id), positions_(positions) {}

Result<Time> EmbeddedLog::recover() {
  TRY(const SessionLease session, SessionLease::take(engine_));
  TRY(Cursor cursor, session->cursor(table_));
  const Key behind = row_key(LogId{static_cast<std::uint32_t>(id_) + 1}, 0);
  CHECK_OK(cursor.bound(row_key(id_, 0), true, behind));
  TRY(const bool any, cursor.previous());
  if (!any) {
    positions_.resume(id_, 0, 1);
    return Time{0};
  }
  TRY(const RecordReader last, RecordReader::open(cursor.value()));
  epoch_ = last.header().epoch;
  positions_.resume(id_, epoch_, last.header().sequence + 1);
  return last.header().commit_time;
}

Status EmbeddedLog::write(Session& session, const Position& position, RecordWriter& record, Time closed) {
  const Bytes bytes = record.finish(position.epoch, position.sequence, position.commit_time, closed);
  appended_.fetch_add(bytes.size(), std::memory_order_relaxed);
  TRY(Cursor cursor, session.cursor(table_));
  return cursor.insert(row_key(id_, position.sequence), bytes);
}

void EmbeddedLog::append(Append& append) {
  append.position = positions_.take(id_);
  append.status = append.epoch == append.position.epoch
                      ? write(*append.session, append.position, *append.record, positions_.visible())
                      : error(Code::NotWritablePrimary, "the log has a newer sequencer");
  // The void that fills the gap may want room in the cache that this very transaction holds until it is rolled back.
  append.to_settle = !append.status.ok();
  append.acknowledged(append);
}

void EmbeddedLog::settled(const Position& position, bool committed) {
  if (!committed) leave_void(position);
  positions_.done(position);
}

// The cache may be full of what only this void lets go on, and the caller may be an io thread: nothing here waits for room.
void EmbeddedLog::leave_void(const Position& position) {
  const Status status = write_void(position, positions_.visible());
  // A gap that stays would keep every reader of the log waiting for ever, and so the server's stop.
  if (!status.ok()) end_process(22441, "The log has a gap that cannot be filled", status);
}

Status EmbeddedLog::fill(const Position& gap) { return write_void(gap, gap.commit_time - 1); }

Status EmbeddedLog::write_void(const Position& position, Time closed) {
  RecordWriter record;
  record.begin(RecordKind::kVoid, id_);
  TRY(const SessionLease session, SessionLease::take(engine_));
  TRY(const CacheExemption exempt, CacheExemption::take(*session));
  TRY(Transaction transaction, Transaction::begin(*session));
  CHECK_OK(write(*session, position, record, closed));
  return transaction.commit(position.commit_time);
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
  positions_.resume(id_, next, positions_.next_sequence(id_));
  RecordWriter record;
  record.begin(RecordKind::kEpoch, id_);
  record.add(epoch_operation(node));
  TRY(const SessionLease session, SessionLease::take(engine_));
  TRY(Transaction transaction, Transaction::begin(*session));
  const Position position = positions_.take(id_);
  Status status = write(*session, position, record, positions_.visible());
  if (status.ok()) status = transaction.commit(position.commit_time);
  positions_.done(position);
  CHECK_OK(status);
  return epoch_ = next;
}

Result<std::unique_ptr<LogTail>> EmbeddedLog::tail(Sequence from) {
  return std::unique_ptr<LogTail>(new EmbeddedTail(engine_, table_, id_, positions_, from));
}

Status EmbeddedLog::truncate(Sequence before) {
  TRY(const SessionLease session, SessionLease::take(engine_));
  TRY(Cursor first, session->cursor(table_));
  TRY(const bool any, first.find_from(row_key(id_, 0)));
  if (!any) return {};
  TRY(Cursor last, session->cursor(table_));
  TRY(const bool there, last.find(row_key(id_, before - 1)));
  if (!there) return {};
  return Cursor::truncate(*session, first, last);
}

}  // namespace partita::shards
