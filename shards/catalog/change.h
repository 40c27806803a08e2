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

  /// What becomes of jobs that are in the change's way (see Claim). Those that yield are ended, but not by one another.
  enum class Jobs : std::uint8_t { kAwait, kAbort, kAwaitAll };
  /// The collection of that name, nullptr when there is none, once no job claims it. Lets go of the lock while it waits:
  /// what was read before may have changed.
  Result<std::shared_ptr<const Collection>> find(const Namespace& ns, Jobs jobs, const Interrupt& interrupted);
  Result<std::shared_ptr<const Collection>> find(const Uuid& uuid, Jobs jobs, const Interrupt& interrupted);
  /// The same for all collections of a database.
  Result<std::vector<std::shared_ptr<const Collection>>> find_all(std::string_view db, Jobs jobs,
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
  /// What config.changelog shall say of this change: in MongoDB's words where it has some ("split").
  void note(std::string_view what, const Namespace& ns, bson::Document details);
  /// The rows of a collection and its partitions, and what is kept of partitions that they came from.
  void erase(const Collection& collection);
  /// The row of a partition that others inherit from: what is known of its statements stays. erase() removes that too, once
  /// nobody needs it any more.
  void retire(PartitionId partition, const Uuid& collection) {
    rows_.push_back({PartitionRow::key(collection, partition), std::nullopt, Row::Kind::kRetire});
  }
  /// Ids for new partitions, which are not used again even if this change comes to nothing.
  PartitionId reserve_partitions(std::size_t count);
  /// What the rows say now. While the change lives.
  const CatalogState& state() const { return catalog_.state_; }
  void adopt(SegmentId segment, std::shared_ptr<PartitionIndex> index) {
    adopted_.push_back({segment, std::move(index)});
  }

  /// The records of a new segment are in its table already.
  void adopt(SegmentId segment) { adopted_segments_.push_back(segment); }

  Status commit();

 private:
  struct Row {
    enum class Kind : std::uint8_t { kWhole, kRetire };
    std::string key;
    std::optional<bson::Document> document;
    Kind kind = Kind::kWhole;
  };
  using Collections = std::vector<std::shared_ptr<const Collection>>;
  Result<Collections> find_unclaimed(const std::function<Collections()>& find, Jobs jobs, const Interrupt& interrupted);
  void put_events();
  Status write();
  Status show();
  Status publish();

  Catalog& catalog_;
  std::unique_lock<std::mutex> lock_;
  std::vector<Row> rows_;
  std::vector<EventRow> events_;
  std::vector<Exclusion> excluded_;
  std::vector<std::pair<SegmentId, std::shared_ptr<PartitionIndex>>> adopted_;
  std::vector<SegmentId> adopted_segments_;
  Time committed_ = 0;
};

}  // namespace partita::shards
