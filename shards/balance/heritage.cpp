// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which of its parts a statement of a partition belongs to is not to be told from its row, so every heir gets all of them.
// There are few: a session's rows are those of its last command.
#include "shards/balance/heritage.h"

#include <algorithm>
#include <map>
#include <set>

#include "shards/catalog/change.h"
#include "shards/router/write.h"
#include "shards/sessions/retry.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// One write is a record of some ten kilobytes.
constexpr std::size_t kRowsInWrite = 200;

FailPoint rows_copied{"heritageRowsCopied", "Some of the rows that a partition inherits are its own."};
FailPoint settled{"heritageSettled", "No partition of a collection inherits any more."};

RetryKey moved(Bytes key, PartitionId to) {
  RetryKey moved{};
  std::copy_n(key.begin(), std::min(key.size(), moved.size()), moved.begin());
  std::ranges::copy(retry_prefix(to), moved.begin());
  return moved;
}

/// Whether the row tells already all that the other one does: a copy that was broken off has brought it.
Result<bool> tells_all(Bytes row, Bytes other) {
  TRY(RetryRow asked, RetryRow::open(other));
  TRY(RetryRow known, RetryRow::open(row));
  if (known.transaction() != asked.transaction()) return known.transaction() > asked.transaction();
  while (true) {
    TRY(const auto one, asked.next());
    if (!one) return true;
    RetryRow from_start = std::move(RetryRow::open(row)).value();
    bool found = false;
    while (!found) {
      TRY(const auto done, from_start.next());
      if (!done) return false;
      found = done->first <= one->first && one->last <= done->last;
    }
  }
}

/// Copies the rows of one parent to one heir.
class Copy {
 public:
  Copy(Store& store, const Collection& collection, PartitionId parent, PartitionId heir)
      : store_(store), collection_(collection), parent_(parent), heir_(heir) {}

  Status run(const BalanceJob::GoOn& go_on) {
    const WriteOptions options{.interrupted = go_on};
    const auto some = [&](WriteAttempt& attempt) { return copy_some(attempt); };
    while (more_) {
      CHECK_OK(go_on());
      CHECK_OK(write(store_, collection_.ns, options, some));
      position_ = next_;
      CHECK_OK(rows_copied.hit());
    }
    return {};
  }

 private:
  Status copy_some(WriteAttempt& attempt) {
    const auto& slots = attempt.collection().partitions;
    const auto same = [&](const PartitionSlot& slot) { return slot.partition->id() == heir_; };
    const auto heir = std::ranges::find_if(slots, same);
    if (heir == slots.end()) return error(Code::ConflictingOperationInProgress, "an heir is gone");
    CHECK_OK(attempt.enter(*heir));
    const TableId table = store_.tables().retry;
    TRY(Cursor rows, attempt.session().cursor(table));
    TRY(Cursor own, attempt.session().cursor(table));
    const RetryRange range = retry_range(parent_);
    const Bytes from = position_.empty() ? Bytes(range.lower) : bytes_of(position_);
    CHECK_OK(rows.bound(from, position_.empty(), range.upper ? Bytes(*range.upper) : Bytes()));
    next_ = position_;
    for (std::size_t i = 0; i < kRowsInWrite; ++i) {
      TRY(more_, rows.next());
      if (!more_) return {};
      const RetryKey key = moved(rows.key(), heir_);
      next_.assign(reinterpret_cast<const char*>(rows.key().data()), rows.key().size());
      row_.clear();
      row_.append(rows.value());
      TRY(const bool there, own.find(key));
      bool known = false;
      if (there) {
        TRY(known, tells_all(own.value(), row_.bytes()));
      }
      own.reset();
      if (!known) CHECK_OK(attempt.unit().copy_retry_row(key, row_.bytes()));
    }
    return {};
  }

  Store& store_;
  const Collection& collection_;
  const PartitionId parent_;
  const PartitionId heir_;
  std::string position_;  ///< The last key that has been looked at.
  std::string next_;
  bson::Buffer row_;
  bool more_ = true;
};

using Heirs = std::map<PartitionId, std::vector<PartitionId>>;

Heirs heirs_of(const Collection& collection) {
  Heirs heirs;
  for (const PartitionSlot& slot : collection.partitions) {
    if (!slot.inherits.empty()) heirs[slot.partition->id()] = slot.inherits;
  }
  return heirs;
}

/// Ends the inheritance of those that have everything. The counts of a row are those of its beginning: nobody asks again.
Status end_inheritance(Store& store, const Uuid& uuid, const Heirs& heirs, const BalanceJob::GoOn& go_on) {
  Catalog::Change change(store.catalog());
  TRY(const auto collection, change.find(uuid, Catalog::Change::Jobs::kAwaitAll, not_for_long(go_on)));
  if (collection == nullptr) return {};
  std::set<PartitionId> parents;
  std::set<PartitionId> needed;
  for (const PartitionSlot& slot : collection->partitions) {
    const auto done = heirs.find(slot.partition->id());
    const bool complete = done != heirs.end() && done->second == slot.inherits;
    (complete ? parents : needed).insert(slot.inherits.begin(), slot.inherits.end());
    if (!complete) continue;
    PartitionRow row{.min = slot.min, .created = slot.created, .origin = slot.origin};
    const SegmentId segment = slot.partition->segment();
    if (segment != Partition::own_segment(slot.partition->id())) row.segment = static_cast<std::uint32_t>(segment);
    change.put(PartitionRow::key(uuid, slot.partition->id()), row.encode());
  }
  if (parents.empty()) return {};
  for (const PartitionId parent : parents) {
    if (!needed.contains(parent)) change.erase(PartitionRow::key(uuid, parent));
  }
  return change.commit();
}

}  // namespace

Status settle_heritage(Store& store, const Uuid& uuid, const BalanceJob::GoOn& go_on) {
  const auto collection = store.catalog().share()->share(uuid);
  if (collection == nullptr) return {};
  const Heirs heirs = heirs_of(*collection);
  for (const auto& [heir, parents] : heirs) {
    for (const PartitionId parent : parents) CHECK_OK(Copy(store, *collection, parent, heir).run(go_on));
  }
  CHECK_OK(end_inheritance(store, uuid, heirs, go_on));
  settled.pass();
  return {};
}

}  // namespace partita::shards
