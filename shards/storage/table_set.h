// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "shards/storage/bytes.h"
#include "wire/error/status.h"

namespace partita::shards {

/// A table by a small number, so that sessions find its cached cursor by index. Never used again after a drop.
enum class TableId : std::uint32_t {};
constexpr TableId kNoTable{0xFFFFFFFF};

/// What a table is for decides how it is stored.
enum class TableKind : std::uint8_t {
  kRecords,  ///< Documents: timestamped, rebuilt from the log, not journaled.
  kIndex,    ///< Index entries: the same, with prefix compression.
  kState,    ///< Small rows of the server's own, with timestamps: catalog, retry rows, counts.
};

/// Makes tables and removes them: all that the catalog's state machine asks of whoever stores them.
class TableSet {
 public:
  /// Creates the table if it is not there yet and makes it known. Not transactional.
  virtual Result<TableId> create_table(const std::string& name, TableKind kind) = 0;
  /// The id of a table that exists, made known on first use.
  virtual TableId table(const std::string& name) = 0;
  /// Removes the table; no error when it is gone already. LockBusy while somebody still reads it: try again later.
  virtual Status drop_table(TableId id) = 0;

 protected:
  ~TableSet() = default;
};

/// What applying a record asks of a session: cursors that find, write and remove single rows, and ranges removed, inside a transaction that
/// is the caller's. Applier, IndexWriter and Draft take the session's type as a parameter, so that the same code runs over
/// WiredTiger and over a simulation's maps, and neither pays for the other. Which two there are is said once in each of
/// their sources.
template <class S>
concept RowSession = requires(S session, TableId table, Bytes key, Bytes value) {
  { session.cursor(table)->find(key) } -> std::same_as<Result<bool>>;
  { session.cursor(table)->key() } -> std::same_as<Bytes>;
  { session.cursor(table)->value() } -> std::same_as<Bytes>;
  { session.cursor(table)->insert(key, value) } -> std::same_as<Status>;
  { session.cursor(table)->put(key, value) } -> std::same_as<Status>;
  { session.cursor(table)->update_here(value) } -> std::same_as<Status>;
  { session.cursor(table)->remove_here() } -> std::same_as<Status>;
  { session.cursor(table)->remove(key) } -> std::same_as<Result<bool>>;
  { session.remove_range(table, key, key) } -> std::same_as<Status>;
};

}  // namespace partita::shards
