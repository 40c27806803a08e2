// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/collection_scan.h"

#include "shards/placement/placement.h"

namespace partita::shards {

CollectionScan::CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order)
    : store_(store),
      collection_(std::move(collection)),
      order_(std::move(order)),
      legs_(order_.backward),
      may_repeat_(order_.may_repeat) {}

Status CollectionScan::resume() {
  const CatalogSnapshot& snapshot = store_.catalog().snapshot();
  if (snapshot.version == collection_->version) return resume(collection_);
  std::shared_ptr<const Collection> now = snapshot.share(collection_->ns.full());
  if (now == nullptr || now->uuid != collection_->uuid) now = snapshot.share(collection_->uuid);
  if (now == nullptr && !exhausted()) return error(Code::QueryPlanKilled, "collection dropped");
  // Where a scan stands, and what ranges it has, are keys of the old order.
  if (now != nullptr && !now->is_clustered_as(*collection_) && !exhausted()) return order_changed(now->ns);
  return resume(std::move(now));
}

Status CollectionScan::resume(std::shared_ptr<const Collection> now) {
  if (exhausted()) return {};
  collection_ = std::move(now);
  TRY(SessionLease session, SessionLease::take(store_.engine()));
  session_.emplace(std::move(session));
  TRY(Transaction transaction, Transaction::begin(**session_));
  transaction_.emplace(std::move(transaction));
  return open_leg();
}

Status CollectionScan::open_leg() {
  const ScanLegs::Share share = legs_.enter(*collection_);
  TRY(const PartitionSlot* slot, Placement::locate(*collection_, share.place).here());
  TRY(PartitionScan scan, PartitionScan::open(**session_, *slot, order_, share));
  scan_.emplace(std::move(scan));
  // Since the plan was made the first document with several keys may have come. Who sees it sees this too, for it is noted
  // before the document commits.
  may_repeat_ |= scan_->multikey();
  return {};
}

void CollectionScan::close_leg() {
  keys_examined_ += scan_->keys_examined();
  documents_examined_ += scan_->documents_examined();
  scan_.reset();
}

void CollectionScan::suspend() {
  if (scan_) {
    if (scan_->started()) legs_.stand(scan_->position());
    close_leg();
  }
  transaction_.reset();
  session_.reset();
}

bool CollectionScan::is_new() {
  const Bytes key = scan_->record_key();
  return met_.emplace(reinterpret_cast<const char*>(key.data()), key.size()).second;
}

Status CollectionScan::enter_next_leg() {
  close_leg();
  legs_.pop();
  return exhausted() ? Status() : open_leg();
}

}  // namespace partita::shards
