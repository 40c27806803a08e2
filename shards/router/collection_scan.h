// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include "shards/router/partition_scan.h"
#include "shards/store.h"

namespace partita::shards {

/// Walks over a collection, one partition after the other in the order of its map. Between batches it holds nothing of
/// the engine: suspend() keeps what is left as keys, and resume() goes on from there in a session and a snapshot of its
/// own, also when the partitions have been split, merged or moved meanwhile: no row is missed, none shown twice. One
/// thread at a time.
class CollectionScan {
 public:
  CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order);
  CollectionScan(const CollectionScan&) = delete;
  CollectionScan& operator=(const CollectionScan&) = delete;

  /// Fails with QueryPlanKilled when the collection, or the index walked over, is gone.
  Status resume();
  /// The same with a map that the caller has.
  Status resume(std::shared_ptr<const Collection> now);
  void suspend();
  /// Moves on; false behind the last row. Between resume() and suspend() only.
  Result<bool> next() {
    while (!exhausted()) {
      TRY(const bool more, scan_->next());
      if (!more) {
        CHECK_OK(enter_next_leg());
      } else if (!may_repeat_ || is_new()) {
        return true;
      }
    }
    return false;
  }
  Bytes record_key() const { return scan_->record_key(); }
  /// Valid until the next call.
  Result<bson::View> document() { return scan_->document(); }

  const Collection& collection() const { return *collection_; }
  const ScanOrder& order() const { return order_; }
  bool exhausted() const { return legs_.empty(); }
  std::int64_t keys_examined() const { return keys_examined_ + (scan_ ? scan_->keys_examined() : 0); }
  std::int64_t documents_examined() const { return documents_examined_ + (scan_ ? scan_->documents_examined() : 0); }

 private:
  Status open_leg();
  void close_leg();
  Status enter_next_leg();
  bool is_new();

  Store& store_;
  std::shared_ptr<const Collection> collection_;
  const ScanOrder order_;
  std::optional<SessionLease> session_;
  std::optional<Transaction> transaction_;
  std::optional<PartitionScan> scan_;
  ScanLegs legs_;
  bool may_repeat_;  ///< A document may be met by several of its keys, as the plan says or a leg has found.
  std::unordered_set<std::string> met_;  ///< Record keys, since they may repeat.
  std::int64_t keys_examined_ = 0;
  std::int64_t documents_examined_ = 0;
};

}  // namespace partita::shards
