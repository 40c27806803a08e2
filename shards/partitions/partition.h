// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shards/log/record.h"
#include "shards/partitions/activity.h"
#include "shards/partitions/counters.h"
#include "shards/partitions/gate.h"
#include "shards/partitions/prefix_count.h"
#include "shards/partitions/tail.h"
#include "shards/storage/engine.h"

namespace partita::shards {

struct IndexSpec;

/// A set of tables, of records and of each index. A partition begins with one of its own, and is the id's giver. When it is
/// split, the map is all that changes at first: its parts, neighbours, share the segment until they move out.
enum class SegmentId : std::uint32_t {};

/// The entries of one index in one segment.
struct PartitionIndex {
  std::shared_ptr<const IndexSpec> spec;
  TableId table = kNoTable;
  /// Where some document has arrays: query::IndexKeys::multikey(). Never cleared; saved with checkpoints.
  std::atomic<std::uint64_t> multikey{0};
};

/// One physical partition: a range of a collection's record keys, in the tables of a segment, and what is known of it.
/// Lives from its creation until its last reader has gone, across all catalog versions in between. Thread-safe.
class Partition {
 public:
  Partition(PartitionId id, const Uuid& collection, TableId records, SegmentId segment)
      : id_(id), collection_(collection), records_(records), segment_(segment) {}
  /// In tables of its own.
  Partition(PartitionId id, const Uuid& collection, TableId records)
      : Partition(id, collection, records, own_segment(id)) {}

  PartitionId id() const { return id_; }
  const Uuid& collection() const { return collection_; }
  /// The table that its records are in, with those of its neighbours in the segment.
  TableId records() const { return records_; }
  SegmentId segment() const { return segment_; }
  Gate& gate() { return gate_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }
  Activity& activity() { return activity_; }
  const Activity& activity() const { return activity_; }

  PrefixCount& prefix_count() { return prefix_count_; }
  Tail& tail() { return tail_; }

  static SegmentId own_segment(PartitionId id) { return SegmentId{static_cast<std::uint32_t>(id)}; }
  static std::string records_table(SegmentId id);
  static std::string index_table(SegmentId id, std::uint32_t index);

 private:
  const PartitionId id_;
  const Uuid collection_;
  const TableId records_;
  const SegmentId segment_;
  Gate gate_;
  Counters counters_;
  Activity activity_;
  PrefixCount prefix_count_;
  Tail tail_;
};

}  // namespace partita::shards
