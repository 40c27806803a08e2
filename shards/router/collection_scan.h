// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "shards/router/partition_scan.h"
#include "shards/store.h"

namespace partita::shards {

/// Walks over a collection, one partition after the other in the order of its map. Between batches it holds nothing of
/// the engine: suspend() keeps where it stands as a key, and resume() goes on from there in a session and a snapshot of
/// its own, also when the partitions have been split, merged or moved meanwhile. One thread at a time.
class CollectionScan {
 public:
  CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order);
  CollectionScan(const CollectionScan&) = delete;
  CollectionScan& operator=(const CollectionScan&) = delete;

  /// Fails with QueryPlanKilled when the collection, or the index walked over, is gone.
  Status resume();
  void suspend();
  /// Moves on; false behind the last row. Between resume() and suspend() only.
  Result<bool> next();
  Bytes record_key() const { return scan_->record_key(); }
  /// Valid until the next call.
  Result<bson::View> document() { return scan_->document(); }

  const Collection& collection() const { return *collection_; }
  const ScanOrder& order() const { return order_; }
  bool exhausted() const { return exhausted_; }
  std::int64_t keys_examined() const { return keys_examined_ + (scan_ ? scan_->keys_examined() : 0); }
  std::int64_t documents_examined() const { return documents_examined_ + (scan_ ? scan_->documents_examined() : 0); }

 private:
  Status open_slot();
  void close_slot();
  bool is_new();
  std::size_t slot_index() const;

  Store& store_;
  std::shared_ptr<const Collection> collection_;
  const ScanOrder order_;
  std::optional<SessionLease> session_;
  std::optional<Transaction> transaction_;
  std::optional<PartitionScan> scan_;
  /// Where the scan stands: the record key that begins the partition's range, and the last row's key in the table.
  std::string partition_min_;
  std::vector<std::uint8_t> position_;
  std::unordered_set<std::string> met_;  ///< Record keys, where the order says that they may repeat.
  bool started_ = false;
  bool exhausted_ = false;
  std::int64_t keys_examined_ = 0;
  std::int64_t documents_examined_ = 0;
};

}  // namespace partita::shards
