// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/storage/session.h"

namespace partita::shards {

/// Fills an empty table that nobody else uses yet with rows in ascending order. The engine then writes whole pages past its
/// cache; where it cannot have the table for itself, because a checkpoint looks at it just now, rows go in one by one.
/// What is in the table afterwards is durable with the next checkpoint, as it is in any table that is not journaled.
class BulkLoad {
 public:
  static Result<BulkLoad> begin(Session& session, TableId table);
  BulkLoad(BulkLoad&& other) noexcept
      : session_(other.session_), cursor_(std::exchange(other.cursor_, nullptr)), alone_(other.alone_) {}
  BulkLoad& operator=(BulkLoad&&) = delete;
  ~BulkLoad();

  /// Each key behind the one before.
  Status append(Bytes key, Bytes value);
  Status finish();
  /// Whether the engine takes the rows in bulk.
  bool alone() const { return alone_; }

 private:
  BulkLoad(Session& session, WT_CURSOR* cursor, bool alone) : session_(&session), cursor_(cursor), alone_(alone) {}
  Status insert(const WT_ITEM& key, const WT_ITEM& value);

  Session* session_;
  WT_CURSOR* cursor_;
  bool alone_;
};

}  // namespace partita::shards
