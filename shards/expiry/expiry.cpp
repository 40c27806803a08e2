// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/expiry/expiry.h"

#include <algorithm>
#include <thread>

#include "shards/router/collection_scan.h"
#include "shards/router/write.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// Documents in one write: a foreground write of one of them waits for so many.
constexpr std::size_t kBatch = 50;

FailPoint batch_found{"ttlBatchFound", "Some expired documents have been found, and are about to be deleted."};

/// The entries of dates up to that moment: others than dates never expire. An array expires with its least one.
std::vector<query::KeyRange> expired_range(const IndexSpec& index, std::int64_t now_ms) {
  using query::IntervalEnd;
  const bson::Value bound = bson::Value::of(bson::Date{now_ms - std::int64_t{*index.expire_after} * 1000});
  const query::Interval interval{.low = {.at = IntervalEnd::At::kClassStart, .type_class = bson::TypeClass::kDate},
                                 .high = {.type_class = bson::TypeClass::kDate, .value = bound}};
  const query::FieldIntervals field{{interval}, index.parts[0].direction()};
  return query::key_ranges({&field, 1});
}

/// By its entries, or, for the date in an _id by which records are clustered, by their own keys.
ScanOrder walk_over(const Collection& collection, const std::shared_ptr<const IndexSpec>& index, const std::vector<query::KeyRange>& expired) {
  if (!index->is_id_key()) return {.index = index, .ranges = expired};
  const auto on_id = std::ranges::find_if(collection.indexes, [](const auto& spec) { return spec->is_id_key(); });
  if (on_id != collection.indexes.end()) return {.index = *on_id, .ranges = expired};
  const bool hashed = collection.sharding != nullptr && collection.sharding->key.has_hash();
  return {.index = nullptr, .ranges = hashed ? std::vector<query::KeyRange>() : expired};
}

class Expiry {
 public:
  Expiry(Store& store, std::shared_ptr<const Collection> collection, std::shared_ptr<const IndexSpec> index)
      : store_(store),
        collection_(std::move(collection)),
        index_(std::move(index)),
        ranges_(expired_range(*index_, store.clock().wall().now_ms())),
        scan_(store, collection_, walk_over(*collection_, index_, ranges_)) {}

  bool done() const { return scan_.exhausted(); }

  /// The record keys of the next few.
  Status find() {
    keys_.clear();
    CHECK_OK(scan_.resume());
    while (keys_.size() < kBatch) {
      TRY(const bool more, scan_.next());
      if (!more) break;
      const Bytes key = scan_.record_key();
      keys_.emplace_back(key.begin(), key.end());
    }
    scan_.suspend();
    return {};
  }

  /// Returns how many are gone. Who waits for the partition to be closed waits for no more than one document.
  Result<std::int64_t> remove() {
    std::int64_t removed = 0;
    for (std::size_t next = 0; next < keys_.size();) {
      std::int64_t in_write = 0;
      std::size_t end = next;
      const auto body = [&](WriteAttempt& attempt) -> Status {
        in_write = 0;
        const Collection& now = attempt.collection();
        if (now.uuid != collection_->uuid || !now.is_clustered_as(*collection_)) return order_changed(now.ns);
        if (!is_still_wanted(now)) return error(Code::QueryPlanKilled, "index '", index_->name, "' expires nothing any more");
        for (end = next; end < keys_.size() && (end == next || !attempt.is_awaited()); ++end) {
          TRY(const bool gone, remove_one(attempt, keys_[end]));
          if (gone) ++in_write;
        }
        return {};
      };
      CHECK_OK(write(store_, collection_->ns, {}, body));
      removed += in_write;
      next = end;
    }
    return removed;
  }

 private:
  bool is_still_wanted(const Collection& now) const {
    if (index_->is_id_key()) return now.options["expireAfterSeconds"].exact_int64() == *index_->expire_after;
    return std::ranges::any_of(now.indexes, [&](const auto& spec) { return spec->id == index_->id && spec->expire_after == index_->expire_after; });
  }

  /// Since it was found it may have changed, or gone.
  Result<bool> remove_one(WriteAttempt& attempt, Bytes key) {
    TRY(const PartitionSlot* slot, attempt.enter(key));
    TRY(Cursor at, attempt.session().cursor(slot->partition->records()));
    TRY(const bool there, at.find(key));
    if (!there) return false;
    const bson::View document = bson::View::trusted(at.value().data());
    CHECK_OK(index_->keys->make(document, entries_));
    if (!has_expired()) return false;
    CHECK_OK(attempt.unit().remove(*slot, at, key, document));
    return true;
  }

  bool has_expired() const {
    const query::KeyRange& range = ranges_[0];
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Bytes key = entries_.key(i);
      const std::string_view text{reinterpret_cast<const char*>(key.data()), key.size()};
      if (text >= range.lower && (range.upper.empty() || text < range.upper)) return true;
    }
    return false;
  }

  Store& store_;
  const std::shared_ptr<const Collection> collection_;
  const std::shared_ptr<const IndexSpec> index_;
  const std::vector<query::KeyRange> ranges_;
  CollectionScan scan_;
  std::vector<std::vector<std::uint8_t>> keys_;
  query::IndexKeys entries_;
};

}  // namespace

Status delete_expired(Store& store, const std::shared_ptr<const Collection>& collection,
                      const std::shared_ptr<const IndexSpec>& index, const std::function<Status()>& go_on,
                      std::atomic<std::int64_t>& deleted) {
  Expiry expiry(store, collection, index);
  while (!expiry.done()) {
    CHECK_OK(go_on());
    const auto began = std::chrono::steady_clock::now();
    CHECK_OK(expiry.find());
    CHECK_OK(batch_found.hit());
    TRY(const std::int64_t removed, expiry.remove());
    deleted.fetch_add(removed, std::memory_order_relaxed);
    // Half of the time is left to others.
    if (removed > 0) std::this_thread::sleep_for(std::chrono::steady_clock::now() - began);
  }
  return {};
}

}  // namespace partita::shards
