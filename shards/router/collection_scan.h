// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "shards/router/merged_scan.h"
#include "shards/store.h"

namespace partita::shards {

/// Walks over a collection, one partition after the other in the order of its map. Between batches it holds nothing of
/// the engine: suspend() keeps what is left as keys, and resume() goes on from there in a session and a snapshot of its
/// own, also when the partitions have been split, merged or moved meanwhile: no row is missed, none shown twice. One
/// thread at a time.
class CollectionScan {
 public:
  CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order);
  /// Over a part of the record keys.
  CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order, query::KeyRange span);
  /// Over a part of another one's walk, from where that stands: see part().
  CollectionScan(const CollectionScan& whole, ScanLegs legs);
  CollectionScan(const CollectionScan&) = delete;
  CollectionScan& operator=(const CollectionScan&) = delete;

  /// Fails with QueryPlanKilled when the collection, or the index walked over, is gone.
  Status resume();
  /// The same with a map that the caller has, reading as of a moment that the caller has pinned; 0: of now.
  Status resume(std::shared_ptr<const Collection> now, Time at = 0);
  /// A collection as the map now has it, whatever its name has become.
  static Result<std::shared_ptr<const Collection>> current(Store& store, const std::shared_ptr<const Collection>& collection);
  void suspend();
  /// Asked where it may take long to come to the next row; fails when the query shall end. Nobody is asked if it is empty.
  void interrupt_by(std::function<Status()> interrupted) { interrupted_ = std::move(interrupted); }
  /// While it is suspended: keeps what lies in the first of the segments that are left, and returns the others' parts.
  std::vector<ScanLegs> part(const Collection& now) { return legs_.part(now); }
  /// Moves on; false behind the last row. Between resume() and suspend() only.
  Result<bool> next() {
    while (!exhausted()) {
      TRY(const bool more, merged_ == nullptr ? at_->next() : next_in_turn());
      if (!more) {
        CHECK_OK(enter_next_leg());
      } else if (!may_repeat_ || is_new()) {
        return true;
      } else {
        CHECK_OK(at_->pass_over());
      }
    }
    return false;
  }
  Bytes record_key() const { return at_->record_key(); }
  /// The key in the table that is walked over.
  Bytes position() const { return at_->position(); }
  /// Adds what grows along the walk: the key in the table that is walked over and, of an index, the record key.
  void append_walk_key(bson::Buffer& out) const;
  /// Valid until the next call.
  Result<bson::View> document() { return at_->document(); }

  const Collection& collection() const { return *collection_; }
  const ScanOrder& order() const { return order_; }
  bool exhausted() const { return legs_.empty(); }
  /// Where it stands, or came to last: the first of the partitions that share the segment.
  PartitionId partition() const { return partition_; }
  /// Whether a failure of the walk is one of the partition that it stands in: not of the query as a whole.
  static bool is_of_partition(Code code);
  /// A failure of the walk, with the partition's name in front where there are several.
  Status place(Status failure) const;
  std::int64_t keys_examined() const { return keys_examined_ + (merged_ != nullptr ? merged_->keys_examined() : scan_ ? scan_->keys_examined() : 0); }
  std::int64_t documents_examined() const { return documents_examined_ + (merged_ != nullptr ? merged_->documents_examined() : scan_ ? scan_->documents_examined() : 0); }
  /// What was done for each branch, where the order has any or tells its ranges apart. Between two rows.
  std::vector<query::WalkFigures> branches() const;

 private:
  Status open_leg();
  Status check_readable() const;
  void begin_counting(const ScanLegs::Share& share);
  void count_up_to(std::size_t place);
  void count_read(std::size_t place);
  void note_keys(const Collection::Run& places);
  Status check_place(const PartitionSlot& slot, Bytes key);
  void close_leg();
  void add_open_branches(std::vector<query::WalkFigures>& branches) const;
  Status enter_next_leg();
  bool is_new();
  Result<bool> next_in_turn();

  Store& store_;
  std::shared_ptr<const Collection> collection_;
  const ScanOrder order_;
  std::optional<SessionLease> session_;
  std::optional<Transaction> transaction_;
  std::function<Status()> interrupted_;  ///< The scan below asks it too.
  // One of the two, in a leg:
  std::optional<PartitionScan> scan_;
  std::unique_ptr<MergedScan> merged_;
  PartitionScan* at_ = nullptr;  ///< Whose row is at hand.
  ScanLegs legs_;
  PartitionId partition_{0};
  Collection::Run leg_places_;  ///< Partitions of the leg in hand.
  std::size_t counted_ = 0;     ///< The last of them, in the direction of the walk, that has been counted as read.
  bool may_repeat_;  ///< A document may be met by several of its keys, as the plan says or a leg has found.
  std::unordered_set<std::string> met_;  ///< Record keys, since they may repeat.
  std::int64_t keys_examined_ = 0;
  std::int64_t documents_examined_ = 0;
  std::size_t branch_ = 0;  ///< Of the leg in hand.
  std::vector<query::WalkFigures> branches_;  ///< Of legs that it has left.
};

}  // namespace partita::shards
