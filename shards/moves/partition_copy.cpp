// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/partition_copy.h"

#include <algorithm>

#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// A round of so few documents takes no longer than writers may well wait for the last one.
constexpr std::size_t kFewDocuments = 32;

FailPoint caught_up{"copyCaughtUp", "New partitions have followed the log for a while."};

std::span<const PartitionSlot> slots_at(const Collection& collection, Collection::Run places) {
  return std::span(collection.partitions).subspan(places.first, places.end - places.first);
}

std::vector<PartitionId> ids_of(std::span<const PartitionSlot> slots) {
  std::vector<PartitionId> ids;
  for (const PartitionSlot& slot : slots) ids.push_back(slot.partition->id());
  return ids;
}

Growth size_of(std::span<const PartitionSlot> slots) {
  Growth size;
  for (const PartitionSlot& slot : slots) size += slot.partition->counters().total();
  return size;
}

}  // namespace

PartitionCopy::PartitionCopy(Store& store, std::shared_ptr<const Collection> source, Collection::Run places,
                             const Collection& target, RowCopy::GoOn go_on, BuildProgress* progress)
    : source_(std::move(source)),
      places_(places),
      target_(target),
      go_on_([this, go_on = std::move(go_on)] {
        if (pursuit_) pursuit_->tick(follower_.round(), follower_.added());
        return go_on();
      }),
      progress_(progress == nullptr ? own_progress_ : *progress),
      rows_(store.engine(), target, go_on_, progress_),
      follower_(store, ids_of(sources())) {}

std::span<const PartitionSlot> PartitionCopy::sources() const { return slots_at(*source_, places_); }

Status PartitionCopy::run(const std::atomic<bool>& hurried) {
  CHECK_OK(follower_.begin());
  progress_.total.fetch_add(size_of(sources()).documents, std::memory_order_relaxed);
  progress_.phase = BuildProgress::Phase::kScanning;
  TableId last = kNoTable;
  for (const PartitionSlot& slot : sources()) {
    if (std::exchange(last, slot.partition->records()) == slot.partition->records()) continue;
    CHECK_OK(rows_.copy(follower_.seen().session(), slot.partition->records()));
  }
  progress_.phase = BuildProgress::Phase::kCatchingUp;
  pursuit_.emplace(sources(), kFewDocuments);
  for (bool more = true; more && !hurried;) {
    TRY(const std::size_t touched, catch_up());
    more = pursuit_->goes_on(touched);
  }
  return {};
}

Status PartitionCopy::finish() {
  pursuit_.reset();
  CHECK_OK(catch_up().status());
  const Growth before = size_of(sources());
  const Growth copied = size_of(target_.partitions);
  if (copied.documents == before.documents && copied.bytes == before.bytes) return {};
  return error(Code::InternalError, "the copy of ", source_->ns.full(), " has ", copied.documents, " documents of ", copied.bytes,
               " bytes instead of ", before.documents, " of ", before.bytes);
}

/// From the moment that the tables stand at to this one. Returns how many documents that concerned.
Result<std::size_t> PartitionCopy::catch_up() {
  CHECK_OK(go_on_());
  CHECK_OK(follower_.aim());
  std::size_t touched = 0;
  while (true) {
    TRY(const bool more, follower_.step(go_on_));
    if (!more) break;
    touched += follower_.touched();
    progress_.total.fetch_add(static_cast<std::int64_t>(follower_.touched()), std::memory_order_relaxed);
    CHECK_OK(follow(RowCopy::Pass::kRetract));
    CHECK_OK(follow(RowCopy::Pass::kExtend));
    progress_.done.fetch_add(static_cast<std::int64_t>(follower_.touched()), std::memory_order_relaxed);
    follower_.arrive();
  }
  CHECK_OK(caught_up.hit());
  return touched;
}

Status PartitionCopy::follow(RowCopy::Pass pass) {
  for (const PartitionSlot& slot : sources()) {
    const auto& touched = follower_.touched(slot.partition->id());
    CHECK_OK(rows_.follow(follower_.seen().session(), follower_.next().session(), slot.partition->records(), touched, pass));
  }
  return {};
}

}  // namespace partita::shards
