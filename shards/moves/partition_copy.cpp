// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/partition_copy.h"

#include <algorithm>

#include "shards/storage/fail_point.h"
#include "shards/storage/urgency.h"

namespace partita::shards {
namespace {

/// A round of so few documents takes no longer than writers may well wait for the last one.
constexpr std::size_t kFewDocuments = 32;
/// Rounds that are not shorter than those before: then they never will be.
constexpr int kLongerRounds = 5;

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
      go_on_(std::move(go_on)),
      progress_(progress == nullptr ? own_progress_ : *progress),
      rows_(store.engine(), target, go_on_, progress_),
      follower_(store, ids_of(sources())) {}

std::span<const PartitionSlot> PartitionCopy::sources() const { return slots_at(*source_, places_); }

// Rounds go on for as long as they grow shorter; one that did not may have had bad luck. Writers that outrun the copying
// would make them longer and longer: then the shortest pause for them is one round now.
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
  std::size_t shortest = SIZE_MAX;
  for (int longer = 0; longer < kLongerRounds && !hurried;) {
    TRY(const std::size_t touched, catch_up());
    if (touched <= kFewDocuments) return {};
    if (touched > shortest - shortest / 4) ++longer;
    shortest = std::min(shortest, touched);
  }
  return {};
}

Status PartitionCopy::finish() {
  {
    const Urgency urgency;
    CHECK_OK(catch_up().status());
  }
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
    CHECK_OK(follow(RowCopy::Pass::kRetract));
    CHECK_OK(follow(RowCopy::Pass::kExtend));
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
