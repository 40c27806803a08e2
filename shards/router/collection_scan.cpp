// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/collection_scan.h"

#include "shards/placement/placement.h"

namespace partita::shards {

CollectionScan::CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order)
    : store_(store), collection_(std::move(collection)), order_(std::move(order)) {}

Status CollectionScan::resume() {
  if (exhausted_) return {};
  // The map as it is now: positions are keys, so that any version of it will do.
  const CatalogSnapshot& snapshot = store_.catalog().snapshot();
  if (snapshot.version != collection_->version) {
    std::shared_ptr<const Collection> now = snapshot.share(collection_->ns.full());
    if (now == nullptr || now->uuid != collection_->uuid) now = snapshot.share(collection_->uuid);
    if (now == nullptr) return error(Code::QueryPlanKilled, "collection dropped");
    collection_ = std::move(now);
  }
  TRY(SessionLease session, SessionLease::take(store_.engine()));
  session_.emplace(std::move(session));
  TRY(Transaction transaction, Transaction::begin(**session_));
  transaction_.emplace(std::move(transaction));
  return open_slot();
}

std::size_t CollectionScan::slot_index() const {
  if (!started_) return order_.backward ? collection_->partitions.size() - 1 : 0;
  return collection_->slot_of(bytes_of(partition_min_));
}

Status CollectionScan::open_slot() {
  TRY(const PartitionSlot* slot, Placement::locate(*collection_, slot_index()).here());
  partition_min_ = slot->min;
  started_ = true;
  TRY(PartitionScan scan, PartitionScan::open(**session_, *slot, order_, position_));
  scan_.emplace(std::move(scan));
  return {};
}

void CollectionScan::close_slot() {
  keys_examined_ += scan_->keys_examined();
  documents_examined_ += scan_->documents_examined();
  scan_.reset();
}

void CollectionScan::suspend() {
  if (scan_) {
    if (scan_->started()) {
      const Bytes at = scan_->position();
      position_.assign(at.begin(), at.end());
    }
    close_slot();
  }
  transaction_.reset();
  session_.reset();
}

bool CollectionScan::is_new() {
  const Bytes key = scan_->record_key();
  return met_.emplace(reinterpret_cast<const char*>(key.data()), key.size()).second;
}

Result<bool> CollectionScan::next() {
  while (!exhausted_) {
    TRY(const bool more, scan_->next());
    if (more && (!order_.may_repeat || is_new())) return true;
    if (more) continue;
    const std::size_t at = slot_index();
    close_slot();
    position_.clear();
    const bool last = order_.backward ? at == 0 : at + 1 == collection_->partitions.size();
    if (last) {
      exhausted_ = true;
      return false;
    }
    partition_min_ = collection_->partitions[order_.backward ? at - 1 : at + 1].min;
    CHECK_OK(open_slot());
  }
  return false;
}

}  // namespace partita::shards
