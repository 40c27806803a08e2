// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/session.h"

#include <algorithm>
#include <cerrno>

#include "shards/storage/failure_cause.h"
#include "shards/storage/statistics.h"

namespace partita::shards {
namespace {

/// Eviction begins to press writers at a tenth of the cache; who holds less than this part is not the reason.
constexpr std::uint64_t kLargestShare = 32;

}  // namespace

Session::~Session() = default;  // Engine closes the connection, and with it every session and cursor.

Status Session::set_patience(bool patient) {
  if (patient == patient_) return {};
  // Zero is the connection's own setting, which is to wait.
  const char* config = patient ? "cache_max_wait_ms=0" : "cache_max_wait_ms=5";
  CHECK_OK(from_wt(session_->reconfigure(session_, config), "reconfigure a session"));
  patient_ = patient;
  return {};
}

Status Session::failure(int code, const char* what) {
  if (code != WT_ROLLBACK) return wt_failure(code, what);
  const char* given = session_->get_rollback_reason(session_);
  const std::string_view reason = given == nullptr ? "" : given;
  const bool overflow = reason.find("cache overflow") != std::string_view::npos;
  if (overflow && !patient_) return error(Code::LockBusy, what, ": the cache is full");
  if (overflow || reason.find("for eviction") != std::string_view::npos) {
    // What fills the cache all alone is rolled back as often as it is tried: see write().
    const Result<std::int64_t> own = unwritten_bytes(*this);
    if (own.ok() && static_cast<std::uint64_t>(*own) > engine_.cache_bytes() / kLargestShare) {
      return error(Code::TransactionTooLargeForCache, what, ": the changes take ", *own,
                   " bytes of the cache, which is too small for them");
    }
  }
  return wt_failure(code, what);
}

Result<Cursor> Session::cursor(TableId table) {
  Cached& cached = slot(table);
  if (cached.table == table && cached.cursor != nullptr) {
    return Cursor(this, table, std::exchange(cached.cursor, nullptr));
  }
  WT_CURSOR* cursor = nullptr;
  const int code = session_->open_cursor(session_, engine_.uri(table), nullptr, "overwrite=false", &cursor);
  if (code == ENOENT) {
    // Dropped since the caller looked at the catalog: it has to look again. Otherwise looking again would not help.
    if (engine_.is_dropped(table)) return error(Code::StaleConfig, "the table is gone: ", engine_.uri(table));
    return error(Code::InternalError, "the data directory lacks ", engine_.uri(table));
  }
  CHECK_OK(from_wt(code, "open_cursor"));
  return Cursor(this, table, cursor);
}

void Session::give_back(TableId table, WT_CURSOR* cursor) {
  cursor->reset(cursor);  // A parked position would pin its page.
  Cached& cached = slot(table);
  if (cached.cursor != nullptr && cached.table == table) {  // Two were out on one table: one is enough to keep.
    cursor->close(cursor);
    return;
  }
  if (cached.cursor != nullptr) cached.cursor->close(cached.cursor);
  cached = {table, cursor};
}

void Session::close_cursors(TableId table) {
  Cached& cached = slot(table);
  if (cached.table != table || cached.cursor == nullptr) return;
  cached.cursor->close(cached.cursor);
  cached = {};
}

void Session::close_all_cursors() {
  for (Cached& cached : cached_) {
    if (cached.cursor != nullptr) cached.cursor->close(cached.cursor);
    cached = {};
  }
}

void Cursor::set_key(Bytes key) {
  WT_ITEM item{};
  item.data = key.data();
  item.size = key.size();
  cursor_->set_key(cursor_, &item);
}

void Cursor::set_value(Bytes value) {
  WT_ITEM item{};
  item.data = value.data();
  item.size = value.size();
  cursor_->set_value(cursor_, &item);
}

Result<bool> Cursor::find_from(Bytes key) {
  set_key(key);
  int nearness = 0;
  TRY(const bool any, found(cursor_->search_near(cursor_, &nearness), "search_near"));
  if (!any || nearness >= 0) return any;
  return next();
}

Status Cursor::bound(Bytes lower, bool lower_inclusive, Bytes upper, bool upper_inclusive) {
  if (!lower.empty()) {
    set_key(lower);
    const char* how = lower_inclusive ? "action=set,bound=lower,inclusive=true" : "action=set,bound=lower,inclusive=false";
    CHECK_OK(from_wt(cursor_->bound(cursor_, how), "bound"));
  }
  if (!upper.empty()) {
    set_key(upper);
    const char* how = upper_inclusive ? "action=set,bound=upper,inclusive=true" : "action=set,bound=upper,inclusive=false";
    CHECK_OK(from_wt(cursor_->bound(cursor_, how), "bound"));
  }
  return {};
}

Status Cursor::insert(Bytes key, Bytes value) {
  set_key(key);
  set_value(value);
  return session_->check(cursor_->insert(cursor_), "insert");
}

Status Cursor::put(Bytes key, Bytes value) {
  set_key(key);
  set_value(value);
  int code = cursor_->insert(cursor_);
  if (code == WT_DUPLICATE_KEY) {
    set_key(key);
    set_value(value);
    code = cursor_->update(cursor_);
  }
  return session_->check(code, "put");
}

Status Cursor::update_here(Bytes value) {
  set_value(value);
  return session_->check(cursor_->update(cursor_), "update");
}

Status Cursor::remove_here() { return session_->check(cursor_->remove(cursor_), "remove"); }

Result<bool> Cursor::remove(Bytes key) {
  set_key(key);
  return found(cursor_->remove(cursor_), "remove");
}

Status Cursor::truncate(Session& session, Cursor& first, Cursor& last) {
  WT_SESSION* raw = session.raw();
  return from_wt(raw->truncate(raw, nullptr, first.cursor_, last.cursor_, nullptr), "truncate");
}

Status Session::remove_range(TableId table, Bytes lower, Bytes upper) {
  TRY(Cursor first, cursor(table));
  TRY(const bool any, first.find_from(lower));
  if (!any || (!upper.empty() && !std::ranges::lexicographical_compare(first.key(), upper))) return {};
  TRY(Cursor last, cursor(table));
  const bool open_end = upper.empty();
  bool behind = false;
  if (!open_end) {
    TRY(behind, last.find_from(upper));
  }
  if (!behind) last.reset();  // Then the last one before the end is the table's last.
  TRY(const bool there, last.previous());
  return there ? Cursor::truncate(*this, first, last) : Status();
}

Result<Transaction> Transaction::begin(Session& session) {
  WT_SESSION* raw = session.raw();
  CHECK_OK(session.check(raw->begin_transaction(raw, nullptr), "begin_transaction"));
  return Transaction(&session);
}

Result<Transaction> Transaction::begin_at(Session& session, std::uint64_t read_time) {
  TRY(Transaction transaction, begin(session));
  WT_SESSION* raw = session.raw();
  const int code = raw->timestamp_transaction_uint(raw, WT_TS_TXN_TYPE_READ, read_time);
  if (code == EINVAL) return error(Code::SnapshotTooOld, "the snapshot at this time is no longer kept");
  CHECK_OK(from_wt(code, "read timestamp"));
  return transaction;
}

Status Transaction::commit(std::uint64_t commit_time) {
  Session& session = *std::exchange(session_, nullptr);
  WT_SESSION* raw = session.raw();
  if (commit_time != 0) {
    const int code = raw->timestamp_transaction_uint(raw, WT_TS_TXN_TYPE_COMMIT, commit_time);
    if (code != 0) [[unlikely]] {
      raw->rollback_transaction(raw, nullptr);
      return wt_failure(code, "commit timestamp");
    }
  }
  CHECK_OK(from_wt(raw->commit_transaction(raw, nullptr), "commit"));
  // An engine that has panicked still takes changes into its memory and returns 0.
  if (FailureCause::engine_has_panicked()) [[unlikely]] return wt_failure(WT_PANIC, "commit");
  return {};
}

}  // namespace partita::shards
