// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/balance/balancer.h"

#include <algorithm>
#include <thread>

#include "shards/balance/heritage.h"
#include "shards/balance/merge.h"
#include "shards/balance/split.h"
#include "shards/catalog/change.h"
#include "shards/store.h"
#include "wire/log/log.h"
#include "wire/net/timer.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;

constexpr int kThreads = 2;
constexpr auto kEvery = 50ms;
/// After a failure that may come again: a full disk.
constexpr auto kRest = 1s;
/// Other changes wait in steps of 10 ms for a job that has given way; so long it keeps away.
constexpr auto kGiveWay = 30ms;
/// Together, of the size at which a partition is split.
constexpr std::int64_t kMergedShare = 4;

bool gave_way(const Status& status) { return status.code() == Code::ConflictingOperationInProgress; }

}  // namespace

Balancer::Balancer(Store& store, std::shared_ptr<BalanceOptions> options)
    : store_(store), options_(options != nullptr ? std::move(options) : std::make_shared<BalanceOptions>()) {
  {
    Catalog::Change change(store_.catalog());
    const MetaRow& meta = change.state().meta();
    active_ = meta.balancing;
    if (!meta.splitting) options_->splits = false;
    if (!meta.merging) options_->merges = false;
  }
  drop_plans();
  for (int i = 0; i < kThreads; ++i) {
    threads_.push_back(std::make_unique<wire::Periodic>("balancer", kEvery, [this] { turn(); }));
  }
}

Balancer::~Balancer() {
  stopping_ = true;
  threads_.clear();
}

/// What an earlier run had set out to do has had no effect: where it is still wanted it is found again.
void Balancer::drop_plans() {
  Catalog::Change change(store_.catalog());
  bool any = false;
  for (const Uuid& uuid : change.state().collections()) {
    for (const auto& [partition, plan] : change.state().plans(uuid)) {
      change.erase(PlanRow::key(uuid, partition));
      any = true;
    }
  }
  if (!any) return;
  if (const Status dropped = change.commit(); !dropped.ok()) {
    log::warning(log::Component::kSharding, 7000003, "The plan of a split stays behind", {{"error", dropped.message()}});
  }
}

Status Balancer::keep(bool MetaRow::*what, bool allowed) {
  Catalog::Change change(store_.catalog());
  MetaRow meta = change.state().meta();
  if (meta.*what == allowed) return {};
  meta.*what = allowed;
  change.put(MetaRow::key(), meta.encode());
  return change.commit();
}

Status Balancer::set_active(bool active) {
  CHECK_OK(keep(&MetaRow::balancing, active));
  active_ = active;
  return {};
}

Status Balancer::set_splits(bool allowed) {
  CHECK_OK(keep(&MetaRow::splitting, allowed));
  options_->splits = allowed;
  return {};
}

Status Balancer::set_merges(bool allowed) {
  CHECK_OK(keep(&MetaRow::merging, allowed));
  options_->merges = allowed;
  return {};
}

void Balancer::turn() {
  while (!stopping_) {
    const std::optional<Work> work = choose();
    if (!work) return;
    run(*work);
  }
}

std::optional<Balancer::Work> Balancer::choose() {
  const auto snapshot = store_.catalog().share();
  const std::lock_guard lock(mutex_);
  ++figures_.rounds;
  if (snapshot->version > seen_version_) look_at(*snapshot);
  for (const auto& known : watched_) {
    const std::shared_ptr<const Collection> collection = known.lock();
    if (collection == nullptr || busy_.contains(collection->uuid)) continue;
    if (const auto rest = rest_until_.find(collection->uuid); rest != rest_until_.end()) {
      if (Clock::now() < rest->second) continue;
      rest_until_.erase(rest);
    }
    std::optional<Work> work = choose_in(collection);
    if (!work) continue;
    busy_.insert(collection->uuid);
    return work;
  }
  return std::nullopt;
}

/// Very many collections may be there, and most changes of the catalog are long ago.
void Balancer::look_at(const CatalogSnapshot& snapshot) {
  seen_version_ = snapshot.version;
  watched_.clear();
  std::set<PartitionId> there;
  for (const auto& collection : snapshot.all()) {
    // One that has been put together still inherits.
    if (collection->sharding == nullptr && collection->partitions.front().inherits.empty()) continue;
    watched_.emplace_back(collection);
    if (indivisible_.empty()) continue;
    for (const PartitionSlot& slot : collection->partitions) there.insert(slot.partition->id());
  }
  std::erase_if(indivisible_, [&](const auto& one) { return !there.contains(one.first); });
}

std::optional<Balancer::Work> Balancer::choose_in(const std::shared_ptr<const Collection>& collection) {
  const Sharding* sharding = collection->sharding.get();
  const bool wanted = active() && sharding != nullptr && !sharding->no_balance;
  if (wanted) {
    if (auto split = choose_split(collection)) return split;
  }
  const std::int64_t old = store_.clock().wall().now_ms() - options_->heritage_age_ms.load(std::memory_order_relaxed);
  const auto inherits = [](const PartitionSlot& slot) { return !slot.inherits.empty(); };
  const auto is_young = [&](const PartitionSlot& slot) { return inherits(slot) && slot.created.ms_since_epoch > old; };
  const auto& slots = collection->partitions;
  if (std::ranges::any_of(slots, inherits) && std::ranges::none_of(slots, is_young)) {
    return Work{Task::kSettle, collection, {}};
  }
  const bool merges = wanted && !sharding->no_auto_merge;
  return merges ? choose_merge(collection) : std::nullopt;
}

/// The largest of those that are too large.
std::optional<Balancer::Work> Balancer::choose_split(const std::shared_ptr<const Collection>& collection) {
  if (!options_->splits.load(std::memory_order_relaxed)) return std::nullopt;
  const Partition* largest = nullptr;
  std::int64_t bytes = options_->partition_bytes.load(std::memory_order_relaxed) - 1;
  for (const PartitionSlot& slot : collection->partitions) {
    const std::int64_t own = slot.partition->counters().total().bytes;
    if (own <= bytes || is_hopeless(*collection, *slot.partition)) continue;
    largest = slot.partition.get();
    bytes = own;
  }
  if (largest == nullptr) return std::nullopt;
  return Work{Task::kSplit, collection, {largest->id()}};
}

/// A partition that could not be divided is looked at again once it is a tenth larger or smaller, or may be divided further.
bool Balancer::is_hopeless(const Collection& collection, const Partition& partition) {
  const auto known = indivisible_.find(partition.id());
  if (known == indivisible_.end()) return false;
  const std::int64_t changed = std::abs(partition.counters().total().bytes - known->second.bytes);
  if (changed <= known->second.bytes / 10 && known->second.documents == collection.sharding->divides_keys()) return true;
  indivisible_.erase(known);
  return false;
}

std::optional<Balancer::Work> Balancer::choose_merge(const std::shared_ptr<const Collection>& collection) {
  if (!options_->merges.load(std::memory_order_relaxed)) return std::nullopt;
  const std::int64_t limit = options_->partition_bytes.load(std::memory_order_relaxed) / kMergedShare;
  const std::int64_t old = store_.clock().wall().now_ms() - options_->merge_age_ms.load(std::memory_order_relaxed);
  const auto& slots = collection->partitions;
  for (std::size_t i = 0; i + 1 < slots.size(); ++i) {
    const PartitionSlot& one = slots[i];
    const PartitionSlot& other = slots[i + 1];
    const bool together_already = one.partition->segment() == other.partition->segment();
    const auto alone = [&](std::size_t place) { return collection->run_of(place).end - collection->run_of(place).first == 1; };
    // Small ones are quickly copied, as long as nothing else is in their tables.
    const bool akin = one.origin && one.origin == other.origin && (together_already || (alone(i) && alone(i + 1)));
    if (!akin || one.created.ms_since_epoch > old || other.created.ms_since_epoch > old) continue;
    const std::int64_t together = one.partition->counters().total().bytes + other.partition->counters().total().bytes;
    if (together < limit) return Work{Task::kMerge, collection, {one.partition->id(), other.partition->id()}};
  }
  return std::nullopt;
}

void Balancer::run(const Work& work) {
  const Status status = run_task(work);
  const std::lock_guard lock(mutex_);
  busy_.erase(work.collection->uuid);
  if (status.ok() || stopping_) return;
  if (work.task == Task::kSplit && status.code() == Code::CannotSplit) {
    for (const PartitionSlot& slot : work.collection->partitions) {
      if (slot.partition->id() != work.partitions[0]) continue;
      indivisible_[slot.partition->id()] = {slot.partition->counters().total().bytes, work.collection->sharding->divides_keys()};
    }
    return;
  }
  // Another change, or somebody's own split of it, came first.
  const bool superseded = gave_way(status) || status.code() == Code::BadValue || status.code() == Code::NamespaceNotFound ||
                          status.code() == Code::NamespaceNotSharded || status.code() == Code::WriteConflict;
  const bool soon = superseded && work.task != Task::kSettle;  // That one has read much for nothing.
  rest_until_[work.collection->uuid] = Clock::now() + (soon ? Clock::duration(kGiveWay) : Clock::duration(kRest));
  if (superseded) return;
  ++figures_.failed;
  log::warning(log::Component::kSharding, 7000002, "A partition could not be balanced",
               {{"ns", work.collection->ns.full()}, {"error", status.message()}});
}

Status Balancer::run_task(const Work& work) {
  const BalanceJob::GoOn go_on = [this]() -> Status {
    return stopping_ ? error(Code::InterruptedAtShutdown, "the server stops") : Status();
  };
  if (work.task == Task::kSettle) return settle_heritage(store_, work.collection->uuid, go_on);
  const auto job = std::make_shared<BalanceJob>();
  job->kind = work.task == Task::kSplit ? BalanceJob::Kind::kSplit : BalanceJob::Kind::kMerge;
  job->ns = work.collection->ns.full();
  job->partitions = work.partitions;
  job->automatic = true;
  const auto body = [&]() -> Result<BalanceOutcome> {
    if (work.task == Task::kMerge) return merge_partitions(store_, work.collection->uuid, work.partitions, go_on, *job);
    return Split(store_, work.collection->uuid, work.partitions[0], std::nullopt, go_on, *job).run();
  };
  return run_job(job, body).status();
}

Result<BalanceOutcome> Balancer::run_job(const std::shared_ptr<BalanceJob>& job,
                                         const std::function<Result<BalanceOutcome>()>& body) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  Result<BalanceOutcome> outcome = body();
  const std::lock_guard lock(mutex_);
  std::erase(jobs_, job);
  if (!outcome.ok()) return outcome;
  const bool split = job->kind == BalanceJob::Kind::kSplit;
  ++(split ? figures_.splits : figures_.merges);
  figures_.pauses_us += outcome->pause.count();
  figures_.longest_pause_us = std::max<std::int64_t>(figures_.longest_pause_us, outcome->pause.count());
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - job->started);
  log::info(log::Component::kSharding, split ? 7000000 : 7000001, split ? "Split a partition" : "Merged partitions",
            {{"ns", job->ns},
             {"partition", static_cast<std::int64_t>(job->partitions[0])},
             {"bytes", outcome->parts[0].size.bytes},
             {"pauseMicros", static_cast<std::int64_t>(outcome->pause.count())},
             {"drainMicros", static_cast<std::int64_t>(outcome->drain.count())},
             {"durationMillis", static_cast<std::int64_t>(took.count())}});
  return outcome;
}

Result<BalanceOutcome> Balancer::split(const Namespace& ns, PartitionId partition, const std::optional<std::string>& at,
                                       Manner manner, const Interrupt& interrupted) {
  while (true) {
    const auto collection = store_.catalog().share()->share(ns.full());
    if (collection == nullptr) return error(Code::NamespaceNotFound, "ns not found: ", ns.full());
    const auto job = std::make_shared<BalanceJob>();
    job->ns = ns.full();
    job->partitions = {partition};
    const auto body = [&] { return Split(store_, collection->uuid, partition, at, interrupted, *job).run(); };
    Result<BalanceOutcome> outcome =
        manner == Manner::kRun ? run_job(job, body) : Split(store_, collection->uuid, partition, at, interrupted, *job).preview();
    if (outcome.ok() || !gave_way(outcome.status())) return outcome;
    std::this_thread::sleep_for(kGiveWay);
    if (interrupted) CHECK_OK(interrupted());
  }
}

Result<BalanceOutcome> Balancer::merge(const Namespace& ns, const std::vector<PartitionId>& partitions, Manner manner,
                                       const Interrupt& interrupted) {
  const auto collection = store_.catalog().share()->share(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns not found: ", ns.full());
  if (manner == Manner::kPreview) return preview_merge(*collection, partitions);
  const auto job = std::make_shared<BalanceJob>();
  job->kind = BalanceJob::Kind::kMerge;
  job->ns = ns.full();
  job->partitions = partitions;
  const auto body = [&] { return merge_partitions(store_, collection->uuid, partitions, interrupted, *job); };
  return run_job(job, body);
}

std::vector<std::shared_ptr<const BalanceJob>> Balancer::jobs() const {
  const std::lock_guard lock(mutex_);
  return {jobs_.begin(), jobs_.end()};
}

Balancer::Figures Balancer::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

}  // namespace partita::shards
