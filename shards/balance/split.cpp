// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/split.h"

#include "shards/balance/events.h"

#include <algorithm>

#include "shards/balance/cut.h"
#include "shards/catalog/change.h"
#include "shards/storage/fail_point.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

using Clock = std::chrono::steady_clock;

FailPoint cut_found{"splitCutFound", "It is known where a partition will be split, and nothing is written."};
FailPoint planned{"splitPlanned", "The plan of a split is in the catalog, and has had no effect."};
FailPoint closed{"splitClosed", "Writers of a partition are kept out, the record that splits it is not written."};
FailPoint split_done{"splitPublished", "A partition has been split, its parts are written to."};

std::chrono::microseconds since(Clock::time_point then) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - then);
}

Status no_partition(const Collection& collection, PartitionId id) {
  return error(Code::BadValue, "collection ", collection.ns.full(), " has no partition ", static_cast<std::uint32_t>(id));
}

PartitionRow row_of(Store& store, const PartitionSlot& parent, const BalancedPart& part) {
  PartitionRow row{.min = part.min,
                   .segment = static_cast<std::uint32_t>(parent.partition->segment()),
                   .documents = part.size.documents,
                   .bytes = part.size.bytes,
                   .created = {store.clock().wall().now_ms()}};
  row.inherits.push_back(parent.partition->id());
  row.inherits.insert(row.inherits.end(), parent.inherits.begin(), parent.inherits.end());
  row.origin = parent.origin.value_or(parent.partition->id());
  return row;
}

}  // namespace

Split::Split(Store& store, const Uuid& collection, PartitionId partition, std::optional<std::string> at,
             BalanceJob::GoOn go_on, BalanceJob& job)
    : store_(store),
      uuid_(collection),
      partition_(partition),
      at_(std::move(at)),
      interrupted_(std::move(go_on)),
      job_(job),
      claim_(store.catalog()) {
  go_on_ = [this]() -> Status {
    CHECK_OK(claim_.check());
    return interrupted_ ? interrupted_() : Status();
  };
}

Status Split::claim() {
  Catalog::Change change(store_.catalog());
  const BalanceJob::GoOn wait = job_.automatic ? not_for_long(interrupted_) : interrupted_;
  TRY(auto collection, change.find(uuid_, Catalog::Change::Jobs::kAwaitAll, wait));
  if (collection == nullptr) return error(Code::NamespaceNotFound, "the collection is gone");
  if (collection->sharding == nullptr) {
    return error(Code::NamespaceNotSharded, "collection ", collection->ns.full(), " is not sharded");
  }
  const auto same = [&](const PartitionSlot& slot) { return slot.partition->id() == partition_; };
  const auto slot = std::ranges::find_if(collection->partitions, same);
  if (slot == collection->partitions.end()) return no_partition(*collection, partition_);
  slot_ = &*slot;
  claim_.take(std::move(collection), Catalog::Claim::Manner::kYields);
  return {};
}

Status Split::find(CutCount& count) {
  job_.phase = BalanceJob::Phase::kScanning;
  const Collection& collection = *claim_.collection();
  if (at_) {
    if (*at_ <= slot_->min || (!slot_->max.empty() && *at_ >= slot_->max)) {
      return error(Code::BadValue, "the cut does not lie within partition ", static_cast<std::uint32_t>(partition_));
    }
    if (!collection.sharding->divides_keys() && collection.sharding->key.parts_logical_key(*at_)) {
      return error(Code::BadValue, "the cut would part the documents of one shard key, which lie together unless a collection ",
                   "has splitLogicalPartitions");
    }
    return count.find(*at_);
  }
  TRY(const bool found, count.find_middle());
  if (found) return {};
  return error(Code::CannotSplit, "partition ", static_cast<std::uint32_t>(partition_), " of ", collection.ns.full(),
               " cannot be split: it holds no two ", collection.sharding->divides_keys() ? "documents" : "values of the shard key");
}

Status Split::write_plan(const CutCount& count) {
  Catalog::Change change(store_.catalog());
  CHECK_OK(claim_.check());
  const auto first = static_cast<std::uint32_t>(change.reserve_partitions(2));
  const PlanRow plan{count.cut().at, {PartitionId{first}, PartitionId{first + 1}}};
  change.put(PlanRow::key(uuid_, partition_), plan.encode());
  CHECK_OK(change.commit());
  makes_ = plan.makes;
  return {};
}

/// Nothing has come of it. A drop of the collection has taken it along.
Status Split::abandon_plan() {
  Catalog::Change change(store_.catalog());
  if (!change.state().plans(uuid_).contains(partition_)) return {};
  change.erase(PlanRow::key(uuid_, partition_));
  return change.commit();
}

/// What the split would make, or makes, of the partition as it is.
BalanceOutcome Split::parts(const CutCount& count) const {
  const Cut cut = count.cut();
  const Growth behind = slot_->partition->counters().total() - cut.before;
  BalanceOutcome outcome;
  outcome.parts.push_back({makes_.empty() ? PartitionId{0} : makes_[0], slot_->min, cut.at, cut.before});
  outcome.parts.push_back({makes_.empty() ? PartitionId{0} : makes_[1], cut.at, slot_->max, behind});
  return outcome;
}

Result<BalanceOutcome> Split::preview() {
  CHECK_OK(claim());
  CutCount count(store_, *claim_.collection(), *slot_, go_on_, job_);
  CHECK_OK(find(count));
  return parts(count);
}

Result<BalanceOutcome> Split::run() {
  CHECK_OK(claim());
  CutCount count(store_, *claim_.collection(), *slot_, go_on_, job_);
  CHECK_OK(find(count));
  CHECK_OK(cut_found.hit());
  CHECK_OK(write_plan(count));
  Result<BalanceOutcome> outcome = publish(count);
  if (!outcome.ok()) {
    // Where even this fails, the next start does it.
    if (const Status abandoned = abandon_plan(); !abandoned.ok()) {
      log::warning(log::Component::kSharding, 7000003, "The plan of a split stays behind", {{"error", abandoned.message()}});
    }
  }
  return outcome;
}

// The change lock first: nobody who waits for the gate waits for that too.
Result<BalanceOutcome> Split::publish(CutCount& count) {
  CHECK_OK(planned.hit());
  job_.phase = BalanceJob::Phase::kPublishing;
  BalanceOutcome outcome;
  {
    const Announcement announcement(slot_->partition);
    announcement.let_leave();
    Catalog::Change change(store_.catalog());
    CHECK_OK(go_on_());
    const Clock::time_point closed_at = Clock::now();
    Exclusion exclusion(std::vector{slot_->partition});
    change.exclude(std::move(exclusion));
    const std::chrono::microseconds drain = since(closed_at);
    CHECK_OK(closed.hit());
    outcome = parts(count);
    for (const BalancedPart& part : outcome.parts) {
      const bool possible = part.size.documents >= 0 && part.size.bytes >= 0;
      if (!possible) return error(Code::DataModifiedByRepair, "a part of a partition would hold less than nothing");
      change.put(PartitionRow::key(uuid_, part.partition), row_of(store_, *slot_, part).encode());
    }
    change.retire(partition_, uuid_);
    change.erase(PlanRow::key(uuid_, partition_));
    change.note("split", claim_.collection()->ns, told_split(*claim_.collection(), *slot_, outcome.parts));
    CHECK_OK(change.commit());
    outcome.pause = since(closed_at);
    outcome.drain = drain;
  }
  split_done.pass();
  return outcome;
}

}  // namespace partita::shards
