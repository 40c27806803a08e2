// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/write.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "shards/partitions/count_keys.h"
#include "shards/placement/placement.h"

namespace partita::shards {
namespace {

/// On an io thread a conflict is tried again this often at once: the other writer is done in microseconds.
constexpr int kQuickAttempts = 3;

/// A write that takes much of the cache may get through when others have left it; one that cannot would try for ever.
constexpr int kAttemptsOfLarge = 100;

Status busy() { return error(Code::LockBusy, "the write has to wait"); }

/// Pauses that grow from nothing to some milliseconds.
void pause(int attempt) {
  if (attempt < kQuickAttempts) return;
  const int shift = std::min(attempt - kQuickAttempts, 7);
  std::this_thread::sleep_for(std::chrono::microseconds(50 << shift));
}

/// Between two looks at whether to go on waiting.
constexpr std::chrono::milliseconds kLook(10);

/// What has to be waited for, or done, before another attempt.
struct Obstacle {
  std::shared_ptr<Partition> closed;  ///< It could not be entered for now.
  std::optional<WriteUnit::Uncounted> uncounted;
};

Status attempt_once(Store& store, Session& session, const Collection& collection, const WriteOptions& options,
                    const std::function<Status(WriteAttempt&)>& body, Obstacle& obstacle) {
  WriteAttempt attempt(store, session, collection, options);
  CHECK_OK(attempt.unit().begin());
  Status status = body(attempt);
  obstacle = {attempt.closed(), attempt.unit().take_uncounted()};
  CHECK_OK(std::move(status));
  if (attempt.unit().empty()) return {};  // Nothing to change: nothing to log.
  return attempt.unit().commit().status();
}

}  // namespace

Result<const PartitionSlot*> WriteAttempt::enter(Bytes record_key) {
  TRY(const PartitionSlot* slot, Placement::locate(collection_, record_key).here());
  CHECK_OK(enter(*slot));
  return slot;
}

Status WriteAttempt::enter(const PartitionSlot& slot) {
  for (const auto& [partition, inside] : inside_) {
    if (partition == slot.partition.get()) return {};
  }
  Gate& gate = slot.partition->gate();
  switch (gate.enter(collection_.version)) {
    case Gate::Pass::kEntered:
      inside_.emplace_back(slot.partition.get(), Inside(gate));
      return {};
    case Gate::Pass::kStale:
      break;
    case Gate::Pass::kClosed:
      if (!options_.may_block) return busy();
      closed_ = slot.partition;
      break;
  }
  return error(Code::StaleConfig, "the collection has changed");
}

bool WriteAttempt::is_awaited() const {
  return std::ranges::any_of(inside_, [](const auto& one) { return one.second.is_awaited(); });
}

bool WriteAttempt::is_announced() const {
  return std::ranges::any_of(inside_, [](const auto& one) { return one.second.is_announced(); });
}

Status write(Store& store, const Namespace& ns, const WriteOptions& options,
             const std::function<Status(WriteAttempt&)>& body) {
  TRY(const SessionLease session, SessionLease::take(store.engine()));
  std::shared_ptr<const Collection> kept;
  for (int attempt = 0;; ++attempt) {
    const Collection* collection = store.catalog().snapshot().find(ns.full());
    if (collection == nullptr) {
      if (!options.create_collection) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
      if (!options.may_block) return busy();
      TRY(kept, store.catalog().get_or_create(ns));
      collection = kept.get();
    }
    Obstacle obstacle;
    Status status = attempt_once(store, *session, *collection, options, body, obstacle);
    const bool large = status.code() == Code::TransactionTooLargeForCache && attempt < kAttemptsOfLarge;
    const bool again = large || status.code() == Code::WriteConflict || status.code() == Code::StaleConfig;
    if (!again) return status;
    if (!options.may_block && (attempt >= kQuickAttempts || obstacle.uncounted)) return busy();
    if (options.interrupted) CHECK_OK(options.interrupted());
    // Waited for out here, with nothing open and no other gate passed, for whoever closed it waits for all to leave.
    if (obstacle.uncounted) {
      CHECK_OK(count_key(store, *obstacle.uncounted->partition, obstacle.uncounted->key, options.interrupted));
      continue;
    }
    obstacle.closed != nullptr ? obstacle.closed->gate().wait_open(kLook) : pause(attempt);
  }
}

}  // namespace partita::shards
