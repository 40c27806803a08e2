// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "shards/log/record.h"
#include "shards/partitions/counters.h"
#include "shards/partitions/gate.h"
#include "shards/storage/engine.h"

namespace partita::shards {

struct IndexSpec;

/// The entries of one index in one partition.
struct PartitionIndex {
  std::shared_ptr<const IndexSpec> spec;
  TableId table = kNoTable;
  /// Bit n: some document has led path n of the key through an array. Never cleared; saved with checkpoints.
  std::atomic<std::uint64_t> multikey{0};
};

/// One physical partition: the tables that hold a range of a collection's record keys, and what is known of them.
/// Lives from its creation until its last reader has gone, across all catalog versions in between. Thread-safe.
class Partition {
 public:
  Partition(PartitionId id, const Uuid& collection, TableId records)
      : id_(id), collection_(collection), records_(records) {}

  PartitionId id() const { return id_; }
  const Uuid& collection() const { return collection_; }
  TableId records() const { return records_; }
  Gate& gate() { return gate_; }
  Counters& counters() { return counters_; }
  const Counters& counters() const { return counters_; }

  static std::string records_table(PartitionId id);
  static std::string index_table(PartitionId id, std::uint32_t index);

 private:
  const PartitionId id_;
  const Uuid collection_;
  const TableId records_;
  Gate gate_;
  Counters counters_;
};

}  // namespace partita::shards
