// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/collection_scan.h"

#include <thread>

#include "shards/placement/placement.h"
#include "shards/router/leg_spans.h"
#include "shards/router/record_keys.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

FailPoint read_partition{"readPartition",
                         "A walk comes to a partition. {partition: id} picks one; {blockTimeMS: n} sleeps, {errorCode: n} fails."};

/// Sleeps, unless the query is to end meanwhile.
Status block(std::chrono::milliseconds time, const std::function<Status()>& interrupted) {
  constexpr std::chrono::milliseconds kLook{2};
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
    if (interrupted) CHECK_OK(interrupted());
    std::this_thread::sleep_for(kLook);
  }
  return {};
}

/// How often a part of the records is walked over: in turns all branches are one walk.
std::size_t walks_of(const ScanOrder& order) {
  return order.branches.empty() || order.merges ? 1 : order.branches.size();
}

/// A collection in one piece is what most are, and their walks need no look at the map.
ScanLegs targeted_legs(const Collection& collection, const ScanOrder& order) {
  if (collection.partitions.size() == 1 || order.targets().empty()) return ScanLegs(order.backward, walks_of(order));
  return {order.backward, joined(leg_spans(collection, order), order.backward), walks_of(order)};
}

}  // namespace

CollectionScan::CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order)
    : store_(store),
      collection_(std::move(collection)),
      order_(std::move(order)),
      legs_(targeted_legs(*collection_, order_)),
      may_repeat_(order_.may_repeat) {}

CollectionScan::CollectionScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order,
                               query::KeyRange span)
    : store_(store),
      collection_(std::move(collection)),
      order_(std::move(order)),
      legs_(order_.backward, std::vector<query::KeyRange>(1, std::move(span)), walks_of(order_)),
      may_repeat_(order_.may_repeat) {}

CollectionScan::CollectionScan(const CollectionScan& whole, ScanLegs legs)
    : store_(whole.store_), collection_(whole.collection_), order_(whole.order_), legs_(std::move(legs)),
      may_repeat_(whole.may_repeat_), met_(whole.met_) {}

Result<std::shared_ptr<const Collection>> CollectionScan::current(Store& store,
                                                                  const std::shared_ptr<const Collection>& collection) {
  const CatalogSnapshot& snapshot = store.catalog().snapshot();
  if (snapshot.version == collection->version) return collection;
  std::shared_ptr<const Collection> now = snapshot.share(collection->ns.full());
  if (now == nullptr || now->uuid != collection->uuid) now = snapshot.share(collection->uuid);
  if (now == nullptr) return error(Code::QueryPlanKilled, "collection dropped");
  if (now->ns != collection->ns) {
    return error(Code::QueryPlanKilled, "collection renamed from '", collection->ns.full(), "' to '", now->ns.full(), "'");
  }
  // Where a scan stands, and what ranges it has, are keys of the old order.
  if (!now->is_clustered_as(*collection)) return order_changed(now->ns);
  return now;
}

// The map must be that of the moment: a later one may lead to tables that were not filled yet, an earlier one to tables that
// had been left.
Status CollectionScan::resume() {
  if (exhausted()) return {};
  while (true) {
    TRY(std::shared_ptr<const Collection> now, current(store_, collection_));
    const std::uint64_t version = store_.catalog().version();
    Status status = resume(std::move(now));
    const bool same_map = store_.catalog().snapshot().version == version;
    if (same_map || (!status.ok() && status.code() != Code::StaleConfig)) return status;
    suspend();
  }
}

Status CollectionScan::resume(std::shared_ptr<const Collection> now, Time at) {
  if (exhausted()) return {};
  collection_ = std::move(now);
  TRY(SessionLease session, SessionLease::take(store_.engine()));
  session_.emplace(std::move(session));
  TRY(Transaction transaction, at == 0 ? Transaction::begin(**session_) : Transaction::begin_at(**session_, at));
  transaction_.emplace(std::move(transaction));
  return open_leg();
}

Status CollectionScan::check_readable() const {
  if (!read_partition.armed()) [[likely]] return {};
  const auto is_meant = [&](bson::View data) {
    const bson::Value wanted = data["partition"];
    return wanted.missing() || wanted.exact_int64() == static_cast<std::int64_t>(partition_);
  };
  const auto data = read_partition.fire(is_meant);
  if (data == nullptr) return {};
  const bson::View what = *data;
  CHECK_OK(block(std::chrono::milliseconds(what["blockTimeMS"].exact_int64().value_or(0)), interrupted_));
  const auto code = what["errorCode"].exact_int64();
  return code ? error(static_cast<Code>(*code), "fail point readPartition") : Status();
}

Status CollectionScan::open_leg() {
  const ScanLegs::Share share = legs_.enter(*collection_);
  TRY(const PartitionSlot* slot, Placement::locate(*collection_, share.place).here());
  partition_ = slot->partition->id();
  branch_ = share.branch;
  CHECK_OK(check_readable());
  if (order_.needs_place && !share.after.empty()) CHECK_OK(check_place(*slot, bytes_of(share.after)));
  if (order_.merges) {
    TRY(merged_, MergedScan::open(**session_, *slot, order_, share, &interrupted_));
  } else {
    const ScanOrder& order = order_.branches.empty() ? order_ : order_.branches[share.branch];
    TRY(PartitionScan scan, PartitionScan::open(**session_, *slot, order, share, &interrupted_));
    scan_.emplace(std::move(scan));
    at_ = &*scan_;
  }
  begin_counting(share);
  // Since the plan was made the first document with several keys may have come. Who sees it sees this too, for it is noted
  // before the document commits.
  may_repeat_ |= merged_ != nullptr ? merged_->multikey() : scan_->multikey();
  return {};
}

Status CollectionScan::check_place(const PartitionSlot& slot, Bytes key) {
  TRY(Cursor at, (*session_)->cursor(slot.partition->records()));
  TRY(const bool there, at.find(key));
  if (there) return {};
  return error(Code::CappedPositionLost, "CollectionScan died due to position in capped collection being deleted. Last seen record id: RecordId(",
               number_of_key(key), ")");
}

Result<bool> CollectionScan::next_in_turn() {
  TRY(PartitionScan * turn, merged_->next());
  if (turn != nullptr) at_ = turn;
  return turn != nullptr;
}

void CollectionScan::append_walk_key(bson::Buffer& out) const {
  if (merged_ != nullptr) {
    merged_->append_key(out);
    return out.append(at_->record_key());
  }
  const std::size_t begin = out.size();
  out.append(at_->position());
  if (order_.index != nullptr) out.append(at_->record_key());
  if (!order_.backward) return;
  for (std::size_t i = begin; i < out.size(); ++i) out.data()[i] = static_cast<std::uint8_t>(~out.data()[i]);
}

bool CollectionScan::is_of_partition(Code code) {
  switch (code) {
    case Code::CappedPositionLost:
    case Code::QueryPlanKilled:
    case Code::StaleConfig:  // The tables of a map that is gone.
    case Code::ClientDisconnect:
    case Code::CursorKilled:
    case Code::Interrupted:
    case Code::InterruptedAtShutdown:
    case Code::MaxTimeMSExpired:
      return false;
    default:
      return true;
  }
}

Status CollectionScan::place(Status failure) const {
  const bool anywhere = failure.ok() || !is_of_partition(failure.code()) || collection_->partitions.size() == 1;
  if (anywhere) return failure;
  return std::move(failure).with_context("partition " + std::to_string(static_cast<std::uint32_t>(partition_)) + ": ");
}

// A query is one read of each partition that it asks, however many batches it takes. Entries of an index say nothing of where
// their records lie: all partitions that share the table are asked at once. Records lie in the order of the map, and those
// behind the first are asked when the walk has come to them.
void CollectionScan::begin_counting(const ScanLegs::Share& share) {
  leg_places_ = {share.place, share.place + 1};
  counted_ = share.place;
  const bool begins = share.after.empty() && share.branch == 0;
  if (collection_->partitions.size() > 1) {
    leg_places_ = collection_->run_of(share.place);
    if (!share.clip.lower.empty()) leg_places_.first = collection_->slot_of(bytes_of(share.clip.lower));
    if (!share.clip.upper.empty()) leg_places_.end = slot_below(*collection_, share.clip.upper) + 1;
  }
  const std::size_t last = order_.backward ? leg_places_.first : leg_places_.end - 1;
  if (!begins) {
    counted_ = order_.is_over_records() ? collection_->slot_of(bytes_of(share.after)) : last;
    return;
  }
  count_read(share.place);
  if (!order_.is_over_records()) count_up_to(last);
  if (order_.by_logical_key) note_keys(leg_places_);
}

void CollectionScan::count_up_to(std::size_t place) {
  while (order_.backward ? counted_ > place : counted_ < place) count_read(order_.backward ? --counted_ : ++counted_);
}

void CollectionScan::count_read(std::size_t place) {
  collection_->partitions[place].partition->activity().count(Activity::Kind::kRead);
}

void CollectionScan::note_keys(const Collection::Run& places) {
  for (const query::KeyRange& range : order_.targets()) {
    const std::size_t place = collection_->slot_of(bytes_of(range.lower));
    if (place < places.first || place >= places.end) continue;
    collection_->partitions[place].partition->activity().note_read(bytes_of(range.lower), collection_->sharding->key);
  }
}

void CollectionScan::add_open_branches(std::vector<query::WalkFigures>& branches) const {
  if (scan_) scan_->add_branches(branches);
  if (order_.branches.empty()) return;
  branches.resize(order_.branches.size());
  if (scan_) branches[branch_] += scan_->figures();
  for (std::size_t i = 0; merged_ != nullptr && i < merged_->walks(); ++i) branches[i] += merged_->figures(i);
}

std::vector<query::WalkFigures> CollectionScan::branches() const {
  std::vector<query::WalkFigures> branches = branches_;
  add_open_branches(branches);
  return branches;
}

void CollectionScan::close_leg() {
  add_open_branches(branches_);
  keys_examined_ = keys_examined();
  documents_examined_ = documents_examined();
  scan_.reset();
  merged_.reset();
  at_ = nullptr;
}

void CollectionScan::suspend() {
  if (scan_ || merged_ != nullptr) {
    if (merged_ != nullptr && merged_->started()) legs_.stand(bytes_of(merged_->position()));
    if (scan_ && scan_->started()) {
      legs_.stand(scan_->position());
      if (order_.is_over_records() && leg_places_.end - leg_places_.first > 1) count_up_to(collection_->slot_of(scan_->position()));
    }
    close_leg();
  }
  transaction_.reset();
  session_.reset();
}

bool CollectionScan::is_new() {
  const Bytes key = at_->record_key();
  return met_.emplace(reinterpret_cast<const char*>(key.data()), key.size()).second;
}

Status CollectionScan::enter_next_leg() {
  count_up_to(order_.backward ? leg_places_.first : leg_places_.end - 1);
  close_leg();
  legs_.pop();
  return exhausted() ? Status() : open_leg();
}

}  // namespace partita::shards
