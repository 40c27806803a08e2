// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "shards/storage/table_set.h"

namespace partita::shards {

class MemorySession;

/// Tables as ordered maps: what stands in WiredTiger's place where a simulation runs the applier thousands of times a
/// second. Nothing is kept beyond the object. One thread.
class MemoryTables final : public TableSet {
 public:
  using Rows = std::map<std::string, std::string, std::less<>>;

  MemoryTables() = default;
  MemoryTables(MemoryTables&&) = default;
  MemoryTables& operator=(MemoryTables&&) = default;
  /// The committed rows as they are now: a checkpoint.
  MemoryTables copy() const;

  Result<TableId> create_table(const std::string& name, TableKind kind) override;
  TableId table(const std::string& name) override;
  Status drop_table(TableId id) override;

  const Rows& rows(TableId id) const { return tables_[static_cast<std::size_t>(id)].rows; }
  /// One number for which tables there are and every row in them, whatever the way that they came about. Kept up to date
  /// by every commit, so that asking costs nothing.
  std::uint64_t hash() const { return hash_; }

 private:
  friend class MemorySession;
  struct Table {
    std::string name;
    Rows rows;
    std::map<std::string, const MemorySession*, std::less<>> writers;  ///< Of rows that an open transaction has written.
  };
  void set(TableId id, std::string_view key, std::optional<std::string> value);

  std::deque<Table> tables_;  ///< By TableId.
  std::unordered_map<std::string, TableId> ids_;
  std::uint64_t hash_ = 0;
};

/// A position in one table, as a transaction sees it; with the contract of Cursor, which it stands in for.
class MemoryCursor {
 public:
  MemoryCursor(MemorySession& session, TableId table) : session_(&session), table_(table) {}

  Result<bool> find(Bytes key);
  Result<bool> find_from(Bytes key);
  Bytes key() const { return bytes_of(key_); }
  Bytes value() const;
  Status insert(Bytes key, Bytes value);
  Status put(Bytes key, Bytes value);
  Status update_here(Bytes value);
  Status remove_here();
  Result<bool> remove(Bytes key);

 private:
  MemorySession* session_;
  TableId table_;
  std::string key_;
};

/// One transaction over MemoryTables, from the first write to commit() or roll_back(). It reads what is committed and its
/// own writes; the first of two to write a row wins, and the other gets WriteConflict, as in WiredTiger.
class MemorySession {
 public:
  explicit MemorySession(MemoryTables& tables) : tables_(&tables) {}
  ~MemorySession() { roll_back(); }
  MemorySession(const MemorySession&) = delete;
  MemorySession& operator=(const MemorySession&) = delete;

  Result<MemoryCursor> cursor(TableId table) { return MemoryCursor(*this, table); }
  Status remove_range(TableId table, Bytes lower, Bytes upper);
  void commit();
  void roll_back();

 private:
  friend class MemoryCursor;
  /// The row's value; null when there is none.
  const std::string* read(TableId table, std::string_view key) const;
  /// The first key at or after `key`.
  std::optional<std::string> first_from(TableId table, std::string_view key) const;
  Status write(TableId table, std::string_view key, std::optional<std::string> value);

  MemoryTables* tables_;
  std::map<std::pair<TableId, std::string>, std::optional<std::string>> writes_;  ///< No value: removed.
};

}  // namespace partita::shards
