// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/write.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "shards/partitions/count_keys.h"
#include "shards/placement/placement.h"
#include "shards/router/record_keys.h"

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

/// Writers of a capped collection go one after the other.
Status take_turn(const Collection& collection, const WriteOptions& options, std::optional<Tail::Turn>& turn) {
  if (!collection.capped) return {};
  turn.emplace(collection.partitions.front().partition->tail());
  if (!options.may_block) return turn->try_take() ? Status() : busy();
  while (!turn->take_within(kLook)) {
    if (options.interrupted) CHECK_OK(options.interrupted());
  }
  return {};
}

Status attempt_once(Store& store, Session& session, const Collection& collection, const WriteOptions& options,
                    const std::function<Status(WriteAttempt&)>& body, Obstacle& obstacle) {
  std::optional<Tail::Turn> turn;  // Before the transaction begins: it must see what the one before has done.
  CHECK_OK(take_turn(collection, options, turn));
  WriteAttempt attempt(store, session, collection, options);
  CHECK_OK(attempt.unit().begin());
  Status status = body(attempt);
  obstacle = {attempt.closed(), attempt.unit().take_uncounted()};
  CHECK_OK(std::move(status));
  if (attempt.unit().empty()) return {};  // Nothing to change: nothing to log.
  CHECK_OK(attempt.unit().commit());
  if (collection.capped) attempt.committed();
  return {};
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

Result<const PartitionSlot*> WriteAttempt::enter_new(bson::View document, bson::Buffer& key) {
  if (!collection_.capped) {
    CHECK_OK(append_record_key(collection_, document, key));
    return enter(key.bytes());
  }
  const PartitionSlot& slot = collection_.partitions.front();
  CHECK_OK(enter(slot));
  Tail& tail = slot.partition->tail();
  if (tail.last_number == 0) {  // Since the start nobody has inserted.
    TRY(Cursor records, session().cursor(slot.partition->records()));
    TRY(const bool any, records.previous());
    if (any) tail.last_number = number_of_key(records.key());
  }
  key.append(bytes_of(key_of_number(++tail.last_number)));
  return &slot;
}

/// Documents of the same attempt may go as well, when many come at once.
Status WriteAttempt::remove_oldest(const PartitionSlot& slot, Bytes newest) {
  const auto is_full = [&] { return !collection_.capped->hold(slot.partition->counters().total() + unit_.growth_of(*slot.partition)); };
  if (!is_full()) return {};
  if (oldest_.empty()) oldest_ = slot.partition->tail().oldest;
  TRY(Cursor at, session().cursor(slot.partition->records()));
  do {
    TRY(const bool there, oldest_.empty() ? at.next() : at.find_from(bytes_of(oldest_)));
    if (!there || std::ranges::equal(at.key(), newest)) return {};
    const std::uint64_t number = number_of_key(at.key());
    const std::string key = key_of_number(number);
    CHECK_OK(unit_.remove(slot, at, bytes_of(key), bson::View::trusted(at.value().data())));
    oldest_ = key_of_number(number + 1);
  } while (is_full());
  return {};
}

void WriteAttempt::committed() {
  Tail& tail = collection_.partitions.front().partition->tail();
  if (!oldest_.empty()) tail.oldest = oldest_;
  tail.changed();
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
