// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>

#include "shards/catalog/state.h"

namespace partita::shards {

class Store;

constexpr std::size_t kMaxIndexes = 64;  ///< Per collection, that of _id included.

/// Databases, collections and indexes: immutable snapshots for all who read, and one change at a time for those who
/// alter. Every change is a record of log 0, applied by the Applier, before anybody sees it. Thread-safe.
class Catalog {
 public:
  Catalog(Store& store, CatalogState state);

  /// The current snapshot: a cached pointer per thread, refreshed when the version has moved. Valid until this thread's
  /// next call; share a Collection to keep it longer.
  const CatalogSnapshot& snapshot();
  std::shared_ptr<const CatalogSnapshot> share();
  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // Changes. They block, on a worker thread.

  /// NamespaceExists when it is there with other options; the same options again are no error.
  Result<std::shared_ptr<const Collection>> create(const Namespace& ns, bson::View options);
  /// The collection, made when it is missing: what a first insert does.
  Result<std::shared_ptr<const Collection>> get_or_create(const Namespace& ns);
  Result<std::shared_ptr<const Collection>> drop(const Namespace& ns);
  Status drop_database(std::string_view db);
  Status rename(const Namespace& from, const Namespace& to, bool drop_target);
  /// Builds the indexes that are new; those defined identically already are left alone. Writers of the collection wait
  /// meanwhile. Returns how many there were before and after, that of _id included.
  struct IndexCounts {
    std::size_t before = 0;
    std::size_t after = 0;
    bool created_collection = false;
  };
  Result<IndexCounts> create_indexes(const Namespace& ns, const std::vector<bson::View>& definitions);
  Result<std::size_t> drop_indexes(const Namespace& ns, const std::function<bool(const IndexSpec&)>& which);

  /// Gives a new store its identity: once, at its first start.
  Status found_cluster();
  bson::ObjectId cluster_id() const;

  /// Tables that nothing accounts for any more go the way of dropped ones.
  void remove_later(const std::vector<TableId>& tables);
  /// Removes tables that have been dropped and that nobody reads any more. One that has changed since the last checkpoint
  /// stays until the next one. Called now and then.
  void remove_dropped_tables();

 private:
  class Change;
  Status publish_locked();
  static Status erase_rows(Change& change, const Collection& collection);
  static Result<bool> is_defined(const Collection& collection,
                                 const std::vector<std::shared_ptr<const IndexSpec>>& fresh, const IndexSpec& wanted);

  const std::uint64_t identity_;
  Store& store_;
  mutable std::mutex change_mutex_;
  CatalogState state_;
  /// Ids of indexes whose build failed are not used again: their tables may still be on their way out.
  std::uint32_t next_index_id_ = 1;
  std::atomic<std::uint64_t> version_{0};
  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const CatalogSnapshot> snapshot_;
  std::mutex dropped_mutex_;
  std::list<TableId> dropped_;
};

}  // namespace partita::shards
