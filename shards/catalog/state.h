// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <set>

#include "shards/catalog/collection.h"
#include "shards/catalog/rows.h"
#include "shards/storage/table_set.h"

namespace partita::shards {

/// The catalog as a state machine: rows go in, in the order of log 0, and collections come out. Live changes and replay
/// pass through the same code. Not thread-safe: the catalog's change lock guards it.
class CatalogState {
 public:
  explicit CatalogState(TableSet& tables) : tables_(tables) {}

  Status put(Bytes key, bson::View row);
  Status erase(Bytes key);

  /// An index that has been filled already: settle() takes it instead of making an empty one.
  void adopt(SegmentId segment, std::shared_ptr<PartitionIndex> index);
  /// A new segment that has its rows already: settle() asks nobody to copy them.
  void adopt(SegmentId segment) { adopted_segments_.insert(segment); }
  /// What the rows put and erased since the last call mean for tables.
  struct Changes {
    struct Unfilled {
      TableId records;
      std::shared_ptr<PartitionIndex> index;
    };
    /// New segments of a collection that take over from old ones. Their tables are empty; those of the old ones hold the
    /// rows.
    struct Takeover {
      std::vector<TableId> sources;              ///< Tables of records.
      /// The collection now, with those of its partitions that take over; with claims where these are to be filled too.
      std::shared_ptr<const Collection> target;
    };
    std::vector<Unfilled> unfilled;    ///< New indexes, over records that may be there already.
    std::vector<Takeover> takeovers;
    std::vector<TableId> dropped;      ///< Tables that nobody routes to any more.
    /// The same, but what they hold lives on in others that no checkpoint has yet: they stay until one does, for a start
    /// after a crash copies from them.
    std::vector<TableId> retired;
  };
  /// Makes the tables that are missing, rebuilds the collections that changed.
  Result<Changes> settle();
  /// The same after loading the rows of a checkpoint: all tables are there, and as full as they should be.
  Status settle_loaded();
  /// Publishes the settled state under a version, which becomes that of the changed collections and their partitions.
  std::shared_ptr<const CatalogSnapshot> publish(std::uint64_t version);

  /// For replay: the partition that a record names, with the indexes it has at this point of the log.
  const PartitionSlot* slot(PartitionId id) const;
  std::vector<const PartitionSlot*> slots() const;
  const CollectionRow* row(const Uuid& uuid) const;
  /// What jobs are about to make of a collection's partitions.
  const std::map<PartitionId, PlanRow>& plans(const Uuid& uuid) const;
  std::vector<Uuid> collections() const;
  const MetaRow& meta() const { return meta_; }
  /// What has happened lately, by number.
  const std::map<std::uint64_t, EventRow>& events() const { return events_; }
  const Views& views() const { return *views_; }
  std::uint64_t next_event() const { return events_.empty() ? 1 : events_.rbegin()->first + 1; }
  /// Names of all tables that the rows account for.
  std::set<std::string> table_names() const;

 private:
  using Indexes = std::vector<std::shared_ptr<PartitionIndex>>;
  struct SegmentTables {
    TableId records = kNoTable;
    Indexes indexes;
    bool fresh = true;  ///< Not there when it was settled the last time.
  };
  struct Member {
    CollectionRow row;
    std::shared_ptr<const Sharding> sharding;
    query::Collation collation;
    std::shared_ptr<const Validation> validation;
    std::vector<std::shared_ptr<const IndexSpec>> specs;
    std::map<PartitionId, PartitionSlot> slots;
    std::map<SegmentId, SegmentTables> segments;
    std::string claims_name;
    TableId claims = kNoTable;
    std::map<PartitionId, PlanRow> plans;
    bool changed = true;
    std::shared_ptr<const Collection> published;
    /// Gone since the last settle(): what was known of their keys is handed on.
    std::map<PartitionId, std::shared_ptr<Partition>> gone;
    std::set<PartitionId> fresh;  ///< Made since then.
    bool rekeyed = false;         ///< Divided by another key since then: what was known says nothing any more.
  };
  Status put_collection(const Uuid& uuid, bson::View row);
  Status put_partition(const RowKey& key, bson::View row);
  void set_view(std::string_view ns, std::shared_ptr<const ViewRow> view);
  Status settle_member(const Uuid& uuid, Member& member, Changes& changes);
  static Status check_tiling(const Member& member);
  Status settle_segment(SegmentId id, SegmentTables& tables, const Member& member, bool heir, Changes& changes);
  Result<std::set<SegmentId>> begin_takeover(Member& member, Changes& changes);
  static std::shared_ptr<Collection> assemble(const Uuid& uuid, const Member& member);
  Result<std::shared_ptr<PartitionIndex>> make_index(SegmentId segment, std::shared_ptr<const IndexSpec> spec,
                                                     bool& unfilled);

  static void list_tables(const SegmentTables& tables, std::vector<TableId>& list);
  static void hand_on(Member& member);
  Result<bool> settle_claims(Member& member, bool takes_over, Changes& changes);

  TableSet& tables_;
  MetaRow meta_;
  std::map<std::uint64_t, EventRow> events_;
  std::shared_ptr<const Views> views_ = std::make_shared<const Views>();
  std::map<Uuid, Member> members_;
  std::map<PartitionId, Uuid> owners_;
  std::map<std::pair<SegmentId, std::uint32_t>, std::shared_ptr<PartitionIndex>> adopted_;
  std::set<SegmentId> adopted_segments_;
  std::vector<TableId> dropped_;
  bool loading_ = false;
};

}  // namespace partita::shards
