// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>

#include "shards/catalog/state.h"

namespace partita::shards {

class Store;
class IndexBuild;
class NewPartitions;
class PartitionCopy;
struct BuildProgress;

constexpr std::size_t kMaxIndexes = 64;  ///< Per collection, that of _id included.

/// Databases, collections and indexes: immutable snapshots for all who read, and one change at a time for those who
/// alter. Every change is a record of log 0, applied by the Applier, before anybody sees it. Thread-safe.
class Catalog {
 public:
  class Change;
  class Claim;
  Catalog(Store& store, CatalogState state);

  /// The current snapshot: a cached pointer per thread, refreshed when the version has moved. Valid until this thread's
  /// next call; share a Collection to keep it longer.
  const CatalogSnapshot& snapshot();
  std::shared_ptr<const CatalogSnapshot> share();
  /// The same, once every change that is in the log shows in it. Waits for the change under way.
  std::shared_ptr<const CatalogSnapshot> settled();
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // Changes. They block, on a worker thread, for a moment; where indexes are being built on a collection, until that has
  // ended. Dropping ends it. Splits and merges under way give way. `interrupted` is asked meanwhile; null where nobody interrupts.
  using Interrupt = std::function<Status()>;

  /// NamespaceExists when it is there with other options; the same options again are no error.
  Result<std::shared_ptr<const Collection>> create(const Namespace& ns, bson::View options);
  /// The collection, made when it is missing: what a first insert does.
  Result<std::shared_ptr<const Collection>> get_or_create(const Namespace& ns);
  /// Divides a collection by a key; one that is not there is made. `bounds` are the first record keys of all partitions but
  /// the first, ascending. AlreadyInitialized when it is sharded in another way; sharded in this way already it is left as it
  /// is. One that holds documents is repartitioned.
  Result<std::shared_ptr<const Collection>> shard(const Namespace& ns, const Sharding& sharding,
                                                  const std::vector<std::string>& bounds, const Interrupt& interrupted = {},
                                                  BuildProgress* progress = nullptr);
  /// Copies a collection into new partitions, by another key (none: by _id alone, in one), while reading and writing go on.
  /// Other changes of it wait; dropping it ends the work, and so does an interruption: then nothing has changed. So it is
  /// when a document does not fit: ShardKeyNotFound for an array in the key, DuplicateKey where two would have one place, or
  /// have one _id where that is to be unique.
  struct Layout {
    std::shared_ptr<const Sharding> sharding;
    std::vector<std::string> bounds;  ///< The first record keys of all partitions but the first, ascending.
    std::optional<bool> unique_id = {};  ///< Whether every _id shall be there once; none: as it has been chosen before.
  };
  /// Asked with the collection claimed: the layout that it shall have; nullopt: the one that it has.
  using ChooseLayout = std::function<Result<std::optional<Layout>>(const Collection& now)>;
  Result<std::shared_ptr<const Collection>> repartition(const Namespace& ns, const ChooseLayout& choose,
                                                        const Interrupt& interrupted = {}, BuildProgress* progress = nullptr);
  /// Copies partitions into new ones with tables of their own: each of the groups, which are neighbours and together whole
  /// segments of `collection`, becomes one. ConflictingOperationInProgress when the map has become another there, or, for one
  /// that gives way, when somebody else wants to change the collection.
  enum class CopyManner : std::uint8_t { kStays, kGivesWay };
  Result<std::shared_ptr<const Collection>> copy_partitions(const Collection& collection, const std::vector<Collection::Run>& groups,
                                                            CopyManner manner = CopyManner::kStays,
                                                            const Interrupt& interrupted = {}, BuildProgress* progress = nullptr);
  /// Ends the copying that is under way on a collection, or has it keep writers out now and finish. False where there is none.
  bool abort_copy(const Namespace& ns);
  bool hurry_copy(const Namespace& ns);
  /// Changes what a sharded collection's user may choose about it. NamespaceNotSharded where it is not sharded, InvalidOptions
  /// where unique indexes stand in the way.
  Status alter_sharding(const Namespace& ns, const std::function<void(Sharding&)>& alter, const Interrupt& interrupted = {});
  /// What has happened to partitions lately, the oldest first.
  std::vector<std::pair<std::uint64_t, EventRow>> events();
  Result<std::shared_ptr<const Collection>> drop(const Namespace& ns, const Interrupt& interrupted = {});
  /// NamespaceExists where a collection, or a view with other options, has the name. Views do not know whether what they are
  /// read from is there.
  Status create_view(const Namespace& ns, bson::View options);
  /// Gives a view other options. NamespaceNotFound where there is none.
  Status alter_view(const Namespace& ns, bson::View options);
  /// False where there is none.
  Result<bool> drop_view(const Namespace& ns);
  Status drop_database(std::string_view db, const Interrupt& interrupted = {});
  Status rename(const Namespace& from, const Namespace& to, bool drop_target, const Interrupt& interrupted = {});
  /// Changes fields of a collection's options; a null takes the field out. NamespaceNotFound when there is no collection.
  Status set_options(const Namespace& ns, bson::View fields, const Interrupt& interrupted = {});
  /// Puts a capped collection in the place of one, with its last documents and those options. Its writers wait meanwhile. The
  /// indexes but that of _id are not made again. NamespaceNotFound, IllegalOperation where it is sharded.
  using CappedOptions = std::function<bson::Document(const Collection& now)>;
  Status make_capped(const Namespace& ns, const CappedOptions& options, const Interrupt& interrupted = {});
  /// What a crash has left of that: at the start.
  Status drop_temporary();
  /// Builds the indexes that are new; those defined identically already are left alone. Reading and writing go on
  /// meanwhile, and so do changes of other collections. Interrupted it leaves nothing behind. Returns how many there were
  /// before and after, that of _id included. `progress` may be nullptr.
  struct IndexCounts {
    std::size_t before = 0;
    std::size_t after = 0;
    bool created_collection = false;
  };
  Result<IndexCounts> create_indexes(const Namespace& ns, const std::vector<bson::View>& definitions,
                                     const Interrupt& interrupted = {}, BuildProgress* progress = nullptr);
  Result<std::size_t> drop_indexes(const Namespace& ns, const std::function<bool(const IndexSpec&)>& which,
                                   const Interrupt& interrupted = {});

  /// Changes the definition of an index, as `alter` says that is shown the collection while nobody else changes it; none:
  /// of nothing. NamespaceNotFound when there is no collection.
  using AlterIndex = std::function<Result<std::optional<IndexRow>>(const Collection& now)>;
  Status alter_index(const Namespace& ns, const AlterIndex& alter, const Interrupt& interrupted = {});
  /// The same for a definition by which entries lie in another form: they are made anew beside the writers, as those of a
  /// new index are, and the index is exchanged for that one. DuplicateKey where documents do not fit.
  Status rebuild_index(const Namespace& ns, const AlterIndex& alter, const Interrupt& interrupted = {});

  /// Gives a new store its identity: once, at its first start.
  Status found_cluster();
  bson::ObjectId cluster_id() { return snapshot().cluster; }

  /// Tables that nothing accounts for any more go the way of dropped ones.
  void remove_later(const std::vector<TableId>& tables);
  /// The same for tables whose rows a change of that time has taken over into others: not before a checkpoint has these, and
  /// not before all have ended who read by the map of before: jobs that have a session now, and moments that are pinned.
  void retire(std::vector<TableId> tables, Time changed);
  /// Removes tables that have been dropped and that nobody reads any more. One that has changed since the last checkpoint
  /// stays until the next one. Called now and then.
  void remove_dropped_tables();

 private:
  struct CopyPlan;
  class CopyWishes;
  Result<std::shared_ptr<const Collection>> shard_empty(const Namespace& ns, const Sharding& sharding,
                                                        const std::vector<std::string>& bounds, const Interrupt& interrupted);
  Status replace_by_copy(const std::shared_ptr<const Collection>& source, const Namespace& copy, bson::View options,
                         const Interrupt& go_on);
  Status index_ids(CollectionRow& row, SegmentId segment, Change& change);
  bool wish(const Namespace& ns, const std::function<void(CopyWishes&)>& what);
  CollectionRow divided_by(const Collection& collection, const Sharding* sharding, std::optional<bool> unique_id = {});
  Status copy(const Claim& claim, const CopyPlan& plan, const Interrupt& interrupted, BuildProgress* progress);
  Status publish_copy(const Claim& claim, const CopyPlan& plan, const NewPartitions& fresh, PartitionCopy& rows,
                      const Collection& target, std::int64_t& pause_us);
  using Specs = std::vector<std::shared_ptr<const IndexSpec>>;
  Status publish_locked(Time changed);
  void collect_retired();
  std::uint32_t reserve_partitions(std::size_t count);
  Result<Specs> claim_build(const Namespace& ns, std::vector<IndexSpec> wanted, const Interrupt& interrupted,
                            Claim& claim, IndexCounts& counts);
  /// Without that one, in whose place the first of the new ones comes.
  Status publish_build(IndexBuild& build, const std::shared_ptr<const Collection>& collection, const Specs& fresh,
                       std::optional<std::uint32_t> replaced = std::nullopt);

  const std::uint64_t identity_;
  Store& store_;
  std::mutex change_mutex_;  ///< Held for moments only.
  CatalogState state_;
  /// Ids of indexes whose build failed are not used again: their tables may still be on their way out.
  std::uint32_t next_index_id_ = 1;
  std::uint32_t next_partition_ = 1;  ///< The same for ids of partitions.
  struct Claimed {
    std::shared_ptr<std::atomic<bool>> unwanted;  ///< Somebody wants it to end.
    bool yields = false;
  };
  std::map<Uuid, Claimed> claimed_;  ///< Collections on which jobs are at work.
  std::condition_variable claim_ended_;
  std::map<Uuid, CopyWishes*> copies_;  ///< Under way.
  std::atomic<std::uint64_t> version_{0};
  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const CatalogSnapshot> snapshot_;
  std::mutex dropped_mutex_;
  std::list<TableId> dropped_;
  struct Retired {
    std::vector<TableId> tables;
    Time changed;
    std::vector<Engine::Lease> readers;
  };
  std::vector<Retired> retired_;
};

}  // namespace partita::shards
