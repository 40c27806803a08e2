// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/sessions/reaper.h"

#include <algorithm>
#include <map>
#include <set>

#include "shards/log/write_unit.h"
#include "shards/sessions/retry.h"
#include "shards/store.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

/// One step is a fraction of a millisecond of reading, or a record of some ten kilobytes.
constexpr std::size_t kRowsRead = 2000;
constexpr std::size_t kRowsRemoved = 200;
constexpr int kStepsInTurn = 10;
constexpr std::chrono::seconds kRest(60);

/// The gates that a step has passed. A partition whose gate is closed, or that has changed, is left for the next round: a
/// step never waits for one gate inside another.
class Gates {
 public:
  explicit Gates(Store& store) : snapshot_(store.catalog().share()) {}

  /// True as well for a partition that is gone: nobody writes rows of it any more.
  bool enter(PartitionId id) {
    const auto known = passed_.find(id);
    if (known != passed_.end()) return known->second;
    return passed_.emplace(id, pass(id)).first->second;
  }

 private:
  /// Rows that have been inherited are removed with the gates of all their heirs passed: a drop removes them too.
  bool pass(PartitionId id) {
    for (const auto& collection : snapshot_->all()) {
      for (const PartitionSlot& slot : collection->partitions) {
        const bool concerned = slot.partition->id() == id || std::ranges::find(slot.inherits, id) != slot.inherits.end();
        if (!concerned || entered_.contains(slot.partition->id())) continue;
        if (slot.partition->gate().enter(collection->version) != Gate::Pass::kEntered) return false;
        entered_.insert(slot.partition->id());
        inside_.emplace_back(slot.partition->gate());
      }
    }
    return true;
  }

  const std::shared_ptr<const CatalogSnapshot> snapshot_;
  std::map<PartitionId, bool> passed_;
  std::set<PartitionId> entered_;
  std::vector<Inside> inside_;
};

RetryKey copy_key(Bytes key) {
  RetryKey copy{};
  std::copy_n(key.begin(), std::min(key.size(), copy.size()), copy.begin());
  return copy;
}

std::uint32_t now_seconds(Store& store) { return static_cast<std::uint32_t>(store.clock().wall().now_ms() / 1000); }

}  // namespace

// A session that comes back at this very moment is not cut in two: whoever adds to a row conflicts with its removal, and
// whoever adds a row to an old session writes block 0 anew (kRetryRefreshSeconds), which conflicts just so.
Result<bool> RetryReaper::step() {
  TRY(const SessionLease session, SessionLease::take(store_.engine()));
  Gates gates(store_);
  WriteUnit unit(store_, *session);
  CHECK_OK(unit.begin());
  std::string stopped_at;
  {
    TRY(Cursor rows, session->cursor(store_.tables().retry));
    TRY(bool more, position_.empty() ? rows.next() : rows.find_from(bytes_of(position_)));
    const std::uint32_t now = now_seconds(store_);
    std::size_t removed = 0;
    for (std::size_t read = 0; more && read < kRowsRead && removed < kRowsRemoved; ++read) {
      const RetryKey key = copy_key(rows.key());
      TRY(const RetryRow row, RetryRow::open(rows.value()));
      if (is_forgettable(row.time(), timeout_seconds_, now) && gates.enter(partition_of(key))) {
        CHECK_OK(unit.erase_retry_row(key));
        ++removed;
      }
      TRY(more, rows.next());
    }
    if (more) stopped_at.assign(reinterpret_cast<const char*>(rows.key().data()), rows.key().size());
  }
  if (!unit.empty()) CHECK_OK(unit.commit());
  position_ = std::move(stopped_at);
  return position_.empty();
}

void RetryReaper::turn() {
  if (Clock::now() < rests_until_) return;
  for (int i = 0; i < kStepsInTurn; ++i) {
    const Result<bool> at_end = step();
    if (at_end.ok() && !*at_end) continue;
    if (!at_end.ok() && at_end.status().code() != Code::WriteConflict) {
      log::warning(log::Component::kStorage, 20710, "Rows of silent sessions could not be removed",
                   {{"error", at_end.status().message()}});
      position_.clear();
    }
    if (at_end.status().code() != Code::WriteConflict) rests_until_ = Clock::now() + kRest;
    return;
  }
}

}  // namespace partita::shards
