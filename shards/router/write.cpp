// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/write.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "shards/placement/placement.h"

namespace partita::shards {
namespace {

/// On an io thread a conflict is tried again this often at once: the other writer is done in microseconds.
constexpr int kQuickAttempts = 3;

Status busy() { return error(Code::LockBusy, "the write has to wait"); }

/// Pauses that grow from nothing to some milliseconds.
void pause(int attempt) {
  if (attempt < kQuickAttempts) return;
  const int shift = std::min(attempt - kQuickAttempts, 7);
  std::this_thread::sleep_for(std::chrono::microseconds(50 << shift));
}

Status attempt_once(Store& store, Session& session, const Collection& collection, const WriteOptions& options,
                    const std::function<Status(WriteAttempt&)>& body) {
  WriteAttempt attempt(store, session, collection, options);
  CHECK_OK(attempt.unit().begin());
  CHECK_OK(body(attempt));
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
      gate.wait_open();
      break;
  }
  return error(Code::StaleConfig, "the collection has changed");
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
    Status status = attempt_once(store, *session, *collection, options, body);
    const bool again = status.code() == Code::WriteConflict || status.code() == Code::StaleConfig;
    if (!again) return status;
    if (!options.may_block && attempt >= kQuickAttempts) return busy();
    if (options.interrupted) CHECK_OK(options.interrupted());
    pause(attempt);
  }
}

}  // namespace partita::shards
