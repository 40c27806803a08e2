// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/catalog.h"
#include "shards/catalog/exclusion.h"

namespace partita::shards {

/// One change of the catalog on its way: rows are gathered, committed as one record of log 0, and only then shown to the
/// state machine and to readers. Holds the catalog's change lock, so nothing in it may take long. Writers of the
/// collections named with exclude() are kept out until the change is published or given up.
class Catalog::Change {
 public:
  explicit Change(Catalog& catalog) : catalog_(catalog), lock_(catalog.change_mutex_) {}

  /// What becomes of index builds that are in the change's way.
  enum class Builds : std::uint8_t { kAwait, kAbort };
  /// The collection of that name, nullptr when there is none, once no indexes are being built on it. Lets go of the lock
  /// while it waits: what was read before may have changed.
  Result<std::shared_ptr<const Collection>> find(const Namespace& ns, Builds builds, const Interrupt& interrupted);
  /// The same for all collections of a database.
  Result<std::vector<std::shared_ptr<const Collection>>> find_all(std::string_view db, Builds builds,
                                                                  const Interrupt& interrupted);

  /// The same for two names.
  struct Pair {
    std::shared_ptr<const Collection> first;
    std::shared_ptr<const Collection> second;
  };
  Result<Pair> find_both(const Namespace& first, const Namespace& second, const Interrupt& interrupted);

  void exclude(const Collection& collection) { excluded_.emplace_back(collection); }
  /// The same for writers who are kept out already.
  void exclude(Exclusion exclusion) { excluded_.push_back(std::move(exclusion)); }
  void put(std::string key, bson::Document row) { rows_.push_back({std::move(key), std::move(row)}); }
  void erase(std::string key) { rows_.push_back({std::move(key), std::nullopt}); }
  /// The rows of a collection and its partitions.
  void erase(const Collection& collection);
  void adopt(SegmentId segment, std::shared_ptr<PartitionIndex> index) {
    adopted_.push_back({segment, std::move(index)});
  }

  Status commit();

 private:
  struct Row {
    std::string key;
    std::optional<bson::Document> document;
  };
  using Collections = std::vector<std::shared_ptr<const Collection>>;
  Result<Collections> find_unbuilt(const std::function<Collections()>& find, Builds builds, const Interrupt& interrupted);
  Status write();
  Status show();
  Status publish();

  Catalog& catalog_;
  std::unique_lock<std::mutex> lock_;
  std::vector<Row> rows_;
  std::vector<Exclusion> excluded_;
  std::vector<std::pair<SegmentId, std::shared_ptr<PartitionIndex>>> adopted_;
};

}  // namespace partita::shards
