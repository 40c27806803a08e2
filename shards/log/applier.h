// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/state.h"
#include "shards/indexes/entries.h"
#include "shards/log/record.h"
#include "shards/sessions/retry.h"

namespace partita::shards {

/// What applying a record did to sizes, and to which logical keys, to be added to what the partitions know once it has
/// committed. Its buffers are used again: a change allocates nothing.
class Effects {
 public:
  void add(const PartitionSlot& slot, Bytes key, Growth growth);
  void clear();
  /// After the commit. `replayed`: at a start.
  void count(Time commit_time, Time checkpoint_boundary, bool replayed = false);

  Growth growth_of(const Partition& partition) const;
  /// By how much partitions have grown, not counting what has shrunk.
  std::int64_t grown() const { return grown_; }
  /// What one logical key has gained, or lost, beside what has been set aside for it.
  std::int64_t gained(const Partition& partition, std::uint64_t hash) const;
  /// Of the key's limit so much is set aside for a change that follows: until that is counted, or cleared.
  void reserved(std::shared_ptr<Partition> partition, std::uint64_t hash, std::int64_t bytes);

 private:
  struct One {
    Partition* partition;
    Growth growth;
    std::int64_t operations = 0;
  };
  struct Touched {
    Partition* partition;
    std::uint64_t hash;
    std::int64_t bytes;
    std::int64_t operations;
    std::size_t key_at;
    std::size_t key_size;
  };
  struct Changed {
    Partition* partition;
    Growth growth;
    std::size_t key_at;
    std::size_t key_size;
  };
  struct Reserved {
    std::shared_ptr<Partition> partition;  ///< It may be gone when this is cleared.
    std::uint64_t hash;
    std::int64_t bytes;
  };
  void touch(const PartitionSlot& slot, Bytes key, std::int64_t bytes);
  Bytes key(std::size_t at, std::size_t size) const { return keys_.bytes().subspan(at, size); }
  std::int64_t take_reserved(const Partition& partition, std::uint64_t hash);

  std::vector<One> growths_;
  std::vector<Touched> touched_;
  std::vector<Changed> changed_;  ///< Of collections with a shard key: see PrefixCount. Whoever counts may begin at any time.
  bson::Buffer keys_;
  std::int64_t grown_ = 0;
  std::vector<Reserved> reserved_;
};

/// The part of a record key that all documents of one logical partition share.
Bytes logical_key(const Sharding& sharding, Bytes record_key);

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

  using Twins = typename BasicIndexWriter<Session>::Twins;

  explicit BasicApplier(Tables tables, Twins twins = Twins::kRefuse) : tables_(tables), index_writer_(twins) {}
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
  /// put_retry_row() where it is known that the row begins anew; with a cursor that stands on the row there is none to find.
  Status replace_retry_row(Session& session, Bytes key, Bytes statements);
  Status replace_retry_row(Cursor& at, Bytes statements);
  Result<bool> erase_retry_row(Session& session, Bytes key);
  Status put_catalog_row(Session& session, Bytes key, Bytes row);
  /// A partition's row takes the partition's retry rows along: nothing else names them once it is gone. It may have been
  /// retired before.
  Status erase_catalog_row(Session& session, Bytes key);
  /// The row alone: the retry rows hold for the partitions that inherit them.
  Status retire_catalog_row(Session& session, Bytes key);

 private:
  Status claim_id(Session& session, const PartitionSlot& slot, bson::View document);
  Status free_id(Session& session, const PartitionSlot& slot, bson::View document);
  Status replay_change(Session& session, const Operation& operation, const PartitionSlot& slot, Effects& effects);

  Tables tables_;
  BasicIndexWriter<Session> index_writer_;
  bson::Buffer after_;
  bson::Buffer before_;
  bson::Buffer id_;
};
using Applier = BasicApplier<Session>;

}  // namespace partita::shards
