// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "shards/balance/job.h"
#include "shards/balance/options.h"
#include "shards/catalog/catalog.h"

namespace partita::wire {
class Periodic;
}

namespace partita::shards {

/// Keeps the partitions of sharded collections sized: looks at them many times a second, splits those that have grown to
/// the limit, merges neighbours that have stayed small. One job at a time for a collection, a few in all; any other change
/// of the catalog goes first. Thread-safe.
///
/// A part of a split holds half of the limit, and only neighbours that hold less than a quarter of it together are merged,
/// some time after they were made: neither undoes the other. Partitions that a collection began with are not merged.
class Balancer {
 public:
  Balancer(Store& store, std::shared_ptr<BalanceOptions> options);
  /// Breaks off what is under way.
  ~Balancer();

  BalanceOptions& options() { return *options_; }
  /// Whether it acts of its own accord. Kept in the catalog.
  bool active() const { return active_.load(std::memory_order_relaxed); }
  Status set_active(bool active);
  // The same for one kind of its work; what forbids it is kept, over what a start says in options().
  Status set_splits(bool allowed);
  Status set_merges(bool allowed);

  // By hand. They wait for the job at work on the collection, and begin again when another change ends theirs.
  using Interrupt = Catalog::Interrupt;
  enum class Manner : std::uint8_t { kRun, kPreview };
  Result<BalanceOutcome> split(const Namespace& ns, PartitionId partition, const std::optional<std::string>& at,
                               Manner manner, const Interrupt& interrupted);
  Result<BalanceOutcome> merge(const Namespace& ns, const std::vector<PartitionId>& partitions, Manner manner,
                               const Interrupt& interrupted);

  /// Jobs under way.
  std::vector<std::shared_ptr<const BalanceJob>> jobs() const;
  struct Figures {
    std::int64_t splits = 0;
    std::int64_t merges = 0;
    std::int64_t failed = 0;         ///< Without those that gave way, and those that found nothing to divide.
    std::int64_t rounds = 0;         ///< Looks at all partitions.
    std::int64_t longest_pause_us = 0;  ///< For which writers were kept out.
    std::int64_t pauses_us = 0;         ///< All together.
  };
  Figures figures() const;

 private:
  Status keep(bool MetaRow::*what, bool allowed);

  enum class Task : std::uint8_t { kSplit, kMerge, kSettle };
  struct Work {
    Task task;
    std::shared_ptr<const Collection> collection;
    std::vector<PartitionId> partitions;
  };
  using Clock = std::chrono::steady_clock;

  void drop_plans();
  void look_at(const CatalogSnapshot& snapshot);
  void turn();
  std::optional<Work> choose();
  std::optional<Work> choose_in(const std::shared_ptr<const Collection>& collection);
  std::optional<Work> choose_split(const std::shared_ptr<const Collection>& collection);
  std::optional<Work> choose_merge(const std::shared_ptr<const Collection>& collection);
  bool is_hopeless(const Collection& collection, const Partition& partition);
  void run(const Work& work);
  Status run_task(const Work& work);
  Result<BalanceOutcome> run_job(const std::shared_ptr<BalanceJob>& job, const std::function<Result<BalanceOutcome>()>& body);

  Store& store_;
  const std::shared_ptr<BalanceOptions> options_;
  std::atomic<bool> active_{true};
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::uint64_t seen_version_ = 0;  ///< Of the catalog, when there was something to be seen to in these:
  std::vector<std::weak_ptr<const Collection>> watched_;  ///< Held, they would keep tables that are dropped.
  std::set<Uuid> busy_;                            ///< Collections that a thread of this works on.
  std::map<Uuid, Clock::time_point> rest_until_;   ///< Collections in which something failed.
  struct Indivisible {
    std::int64_t bytes = 0;
    bool documents = false;  ///< Not even within its key.
  };
  std::map<PartitionId, Indivisible> indivisible_;  ///< Partitions of one logical key, as they were when that was found.
  std::vector<std::shared_ptr<BalanceJob>> jobs_;
  Figures figures_;
  std::vector<std::unique_ptr<wire::Periodic>> threads_;
};

}  // namespace partita::shards
