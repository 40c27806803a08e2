// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/state.h"
#include "shards/indexes/entries.h"
#include "shards/log/record.h"
#include "shards/sessions/retry.h"

namespace partita::shards {

/// What applying a record did to sizes, to be added to the counters once it has committed.
struct Effects {
  struct One {
    Partition* partition;
    Growth growth;
  };
  std::vector<One> growths;
  void add(Partition& partition, Growth growth);
  void clear() { growths.clear(); }
  /// After the commit.
  void count(Time commit_time, Time checkpoint_boundary) const;
};

/// The tables that are not a partition's.
struct ApplierTables {
  TableId catalog = kNoTable;
  TableId retry = kNoTable;
};

/// The only code that changes documents, index entries, retry rows and catalog rows. Commands reach it through
/// Draft, which writes each operation into a record as it is applied; recovery, and later replicas and restore,
/// reach it through apply(). The same record makes the same bytes wherever it is applied.
/// Runs inside the caller's transaction. Keeps buffers: one Applier per thread that writes.
template <RowSession Session>
class BasicApplier {
 public:
  using Cursor = std::remove_cvref_t<decltype(*std::declval<Session&>().cursor(kNoTable))>;
  using Tables = ApplierTables;

  explicit BasicApplier(Tables tables) : tables_(tables) {}
  void use(Tables tables) { tables_ = tables; }

  /// Replays one operation of a record, against the partitions that `state` knows.
  Status apply(Session& session, const Operation& operation, CatalogState& state, Effects& effects);

  // One primitive for each kind of operation. `at` stands on the row, which saves a second descent where the caller has
  // just read it. `slot` gives the partition and the indexes that it has at this point of the log.
  Status insert(Session& session, const PartitionSlot& slot, Bytes key, bson::View document, Effects& effects);
  Status update(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after,
                Effects& effects);
  Status remove(Session& session, const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before,
                Effects& effects);
  /// Whether there was anything to change. A draft notes only what has changed something: of the rest the engine does not
  /// know, and cannot tell it from a change of the same row that is on its way.
  Result<bool> put_retry_row(Session& session, Bytes key, Bytes statements);
  /// put_retry_row() where it is known that the row begins anew.
  Status replace_retry_row(Session& session, Bytes key, Bytes statements);
  Result<bool> erase_retry_row(Session& session, Bytes key);
  Status put_catalog_row(Session& session, Bytes key, Bytes row);
  /// A partition's row takes the partition's retry rows along: nothing else names them once it is gone. It may have been
  /// retired before.
  Status erase_catalog_row(Session& session, Bytes key);
  /// The row alone: the retry rows hold for the partitions that inherit them.
  Status retire_catalog_row(Session& session, Bytes key);

 private:
  Status replay_change(Session& session, const Operation& operation, const PartitionSlot& slot, Effects& effects);

  Tables tables_;
  BasicIndexWriter<Session> index_writer_;
  bson::Buffer after_;
  bson::Buffer before_;
};
using Applier = BasicApplier<Session>;

}  // namespace partita::shards
