// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/change.h"

namespace partita::shards {

/// Partitions on their way into the catalog, with empty tables of their own. Tables that did not make it are given to the
/// catalog to be removed. Very many partitions begin with fewer segments, neighbours sharing one: files cost time to make.
class NewPartitions {
 public:
  static constexpr std::size_t kMostSegments = 64;

  /// Ids from `first` on; `bounds` are the first record keys of all but the first, which begins with `min`.
  NewPartitions(Store& store, PartitionId first, const std::vector<std::string>& bounds, std::string min = {},
                std::size_t most_segments = kMostSegments);
  ~NewPartitions();
  NewPartitions(const NewPartitions&) = delete;
  NewPartitions& operator=(const NewPartitions&) = delete;

  Status make_tables();
  /// Of a collection's indexes, as its row has them.
  Status make_indexes(const std::vector<IndexRow>& indexes);
  /// In which the _ids of their documents will be claimed.
  Status make_claims(const std::string& table);
  /// What they will be in the map of this collection, with counters of their own: for filling them before they are
  /// published.
  std::vector<PartitionSlot> slots(const Uuid& collection) const;
  /// Their rows and indexes. `filled` is what slots() made, and what retry rows hold for each: nothing where they are empty.
  void add_to(Catalog::Change& change, const Uuid& collection, std::span<const PartitionSlot> filled = {}) const;
  /// They are published: their tables stay.
  void release() { tables_.clear(); }

 private:
  struct One {
    PartitionId id;
    std::string min;
    SegmentId segment;
  };
  std::vector<SegmentId> segments() const;

  Store& store_;
  std::vector<One> partitions_;
  std::vector<TableId> tables_;
  std::vector<std::pair<SegmentId, std::shared_ptr<PartitionIndex>>> indexes_;
  TableId claims_ = kNoTable;
};

}  // namespace partita::shards
