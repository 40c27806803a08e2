// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <utility>

#include "shards/storage/engine.h"

namespace partita::shards {

class Cursor;

/// A WiredTiger session and the cursors that it has opened so far. Belongs to one job at a time; see SessionLease.
/// Leased under NoWaiting, its cursors and transactions fail with LockBusy when they would have to wait for room.
class Session {
 public:
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// A reset cursor on the table, from the cache or new. Several may be out on one table at once.
  Result<Cursor> cursor(TableId table);
  /// Removes all rows in [lower, upper); an empty `upper` is the end of the table. Nobody else may write there meanwhile.
  Status remove_range(TableId table, Bytes lower, Bytes upper);
  WT_SESSION* raw() { return session_; }
  Engine& engine() { return engine_; }

 private:
  friend class Engine;
  friend class Cursor;
  friend class Transaction;
  static constexpr std::size_t kCachedCursors = 256;
  struct Cached {
    TableId table = kNoTable;
    WT_CURSOR* cursor = nullptr;
  };

  Session(Engine& engine, WT_SESSION* session) : engine_(engine), session_(session) {}
  Cached& slot(TableId table) { return cached_[static_cast<std::uint32_t>(table) % kCachedCursors]; }
  void give_back(TableId table, WT_CURSOR* cursor);
  void close_cursors(TableId table);
  void close_all_cursors();
  Status set_patience(bool patient);
  /// Out of line, for the rare case.
  Status failure(int code, const char* what);
  Status check(int code, const char* what) { return code == 0 ? Status() : failure(code, what); }

  Engine& engine_;
  WT_SESSION* session_;
  bool patient_ = true;
  std::array<Cached, kCachedCursors> cached_{};
  bool try_lease() { return !leased_.exchange(true, std::memory_order_acquire); }
  void lease() {
    while (!try_lease()) __builtin_ia32_pause();  // Only a dropper can hold an idle one, for as long as a close takes.
    lease_number_.store(lease_number_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Who may touch the session. A dropper leases idle ones to close their cursors, and leaves a note for the others.
  std::atomic<bool> leased_{false};
  std::atomic<bool> purge_{false};
  std::atomic<std::uint64_t> lease_number_{0};  ///< Jobs that have had it: tells one from the next.
};

/// A session for one job: taken from this thread's last one or from the pool, given back on destruction.
class SessionLease {
 public:
  static Result<SessionLease> take(Engine& engine) {
    TRY(Session * session, engine.acquire());
    return SessionLease(session);
  }
  SessionLease(SessionLease&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  SessionLease& operator=(SessionLease&& other) noexcept {
    std::swap(session_, other.session_);
    return *this;
  }
  ~SessionLease() {
    if (session_ != nullptr) session_->engine().release(session_);
  }
  Session& operator*() const { return *session_; }
  Session* operator->() const { return session_; }

 private:
  explicit SessionLease(Session* session) : session_(session) {}
  Session* session_;
};

/// While it lives the session neither waits for room in the cache nor makes any: for a few bytes that must get in.
/// Not within a transaction.
class CacheExemption {
 public:
  static Result<CacheExemption> take(Session& session) {
    CHECK_OK(from_wt(session.raw()->reconfigure(session.raw(), "ignore_cache_size=true"), "ignore the cache size"));
    return CacheExemption(session);
  }
  CacheExemption(CacheExemption&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  CacheExemption& operator=(CacheExemption&&) = delete;
  ~CacheExemption() {
    if (session_ != nullptr) session_->raw()->reconfigure(session_->raw(), "ignore_cache_size=false");
  }

 private:
  explicit CacheExemption(Session& session) : session_(&session) {}
  Session* session_;
};

/// A cursor over raw bytes, reset and given back on destruction. What key() and value() return dies at the next call on
/// this cursor. Not thread-safe.
class Cursor {
 public:
  Cursor(Cursor&& other) noexcept
      : session_(other.session_), table_(other.table_), cursor_(std::exchange(other.cursor_, nullptr)) {}
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor() {
    if (cursor_ != nullptr) session_->give_back(table_, cursor_);
  }

  /// Moves to exactly that key; false when it is not there.
  Result<bool> find(Bytes key) {
    set_key(key);
    return found(cursor_->search(cursor_), "search");
  }
  /// Moves to the first key at or after `key`; false when there is none.
  Result<bool> find_from(Bytes key);
  Result<bool> next() { return found(cursor_->next(cursor_), "next"); }
  Result<bool> previous() { return found(cursor_->prev(cursor_), "prev"); }
  /// From now on next() and previous() stay within [lower, upper); an empty span leaves that side open. Until reset().
  Status bound(Bytes lower, bool lower_inclusive, Bytes upper, bool upper_inclusive = false);

  struct Row {
    Bytes key;
    Bytes value;
  };
  /// Written where it shall stay: a row that is returned is copied in larger pieces than it was written in, and waits for
  /// them to reach the cache.
  void read(Row& row) const {
    row.key = key();
    row.value = value();
  }
  // Taken out of the cursor: get_raw_key_value() does no more than this for a cursor that stands on a row, once it has
  // looked at everything that it might be asked for, and took 4 ns of the 100 that a row of a scan costs.
  Bytes key() const { return {static_cast<const std::uint8_t*>(cursor_->key.data), cursor_->key.size}; }
  Bytes value() const { return {static_cast<const std::uint8_t*>(cursor_->value.data), cursor_->value.size}; }

  /// Fails with DuplicateKey when the key is there already.
  Status insert(Bytes key, Bytes value);
  /// Writes whether or not the key is there.
  Status put(Bytes key, Bytes value);
  /// Changes the value at the key that find() has just moved to: no second descent.
  Status update_here(Bytes value);
  Status remove_here();
  /// True when there was something to remove.
  Result<bool> remove(Bytes key);

  /// Removes all rows from one positioned cursor to another, both included. Nobody may insert in between meanwhile.
  static Status truncate(Session& session, Cursor& first, Cursor& last);

  void reset() { cursor_->reset(cursor_); }

 private:
  friend class Session;
  Cursor(Session* session, TableId table, WT_CURSOR* cursor) : session_(session), table_(table), cursor_(cursor) {}
  Result<bool> found(int code, const char* what) const {
    if (code == 0) [[likely]] return true;
    if (code == WT_NOTFOUND) return false;
    return session_->failure(code, what);
  }
  void set_key(Bytes key);
  void set_value(Bytes value);

  Session* session_;
  TableId table_;
  WT_CURSOR* cursor_;
};

/// Rolls back unless commit() was reached, so that every early return is safe.
class Transaction {
 public:
  /// Sees what is committed now, and its own changes.
  static Result<Transaction> begin(Session& session);
  /// Sees everything committed at or before `read_time` and nothing later. For reading only.
  static Result<Transaction> begin_at(Session& session, std::uint64_t read_time);

  Transaction(Transaction&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() { roll_back(); }

  /// Its changes become visible, stamped with `commit_time` in timestamped tables; 0 leaves them without a time.
  /// When this fails WiredTiger has rolled back already.
  Status commit(std::uint64_t commit_time);
  void roll_back() {
    if (Session* session = std::exchange(session_, nullptr)) session->raw()->rollback_transaction(session->raw(), nullptr);
  }

 private:
  explicit Transaction(Session* session) : session_(session) {}
  Session* session_;
};

}  // namespace partita::shards
