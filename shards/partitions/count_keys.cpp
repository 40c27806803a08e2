// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/count_keys.h"

#include <algorithm>
#include <thread>

#include "query/keys/bounds.h"
#include "shards/log/applier.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {
namespace {

constexpr std::int64_t kRowsBetweenLooks = 1000;

/// A partition's place in the newest map; null when it is no more.
std::shared_ptr<const Collection> find_home(Store& store, const Partition& partition, const PartitionSlot*& slot) {
  auto collection = store.catalog().share()->share(partition.collection());
  slot = nullptr;
  if (collection == nullptr) return nullptr;
  for (const PartitionSlot& one : collection->partitions) {
    if (one.partition.get() == &partition) slot = &one;
  }
  return collection;
}

/// Rows of a range of record keys, summed up by logical key: they lie together.
class KeyCount {
 public:
  explicit KeyCount(const Sharding& sharding) : sharding_(sharding) {}

  Status run(Cursor& rows, const std::function<Status()>& go_on) {
    std::int64_t seen = 0;
    while (true) {
      TRY(const bool more, rows.next());
      if (!more) break;
      if (go_on && ++seen % kRowsBetweenLooks == 0) CHECK_OK(go_on());
      add(logical_key(sharding_, rows.key()), bson::View::trusted(rows.value().data()).size());
    }
    keep();
    return {};
  }
  std::vector<Activity::Counted>& largest() { return largest_; }
  /// What none of the others has more than.
  std::int64_t rest() const { return rest_; }

 private:
  void add(Bytes key, std::int64_t bytes) {
    const std::string_view text(reinterpret_cast<const char*>(key.data()), key.size());
    if (text != current_.key) {
      keep();
      current_ = {std::string(text), 0};
    }
    current_.bytes += bytes;
  }
  void keep() {
    if (current_.bytes == 0) return;
    largest_.push_back(std::move(current_));
    current_ = {};
    if (largest_.size() <= KeySketch::kKeys) return;
    const auto lightest = std::ranges::min_element(largest_, {}, &Activity::Counted::bytes);
    rest_ = std::max(rest_, lightest->bytes);
    std::swap(*lightest, largest_.back());
    largest_.pop_back();
  }

  const Sharding& sharding_;
  Activity::Counted current_;
  std::vector<Activity::Counted> largest_;
  std::int64_t rest_ = 0;
};

Status count_range(Store& store, Partition& partition, const PartitionSlot& slot, const std::string& only,
                   const std::function<Status()>& go_on) {
  TRY(const ReadPoint point, ReadPoint::now(store));
  TRY(Cursor rows, point.session().cursor(partition.records()));
  // A key may go on in other partitions, whose rows can lie in the same table.
  std::string min = slot.min;
  std::string max = slot.max;
  if (!only.empty()) {
    bson::Buffer end;
    end.append(std::string_view(only));
    query::keys::append_max(end);
    min = std::max(min, only);
    max = max.empty() ? std::string(end.text()) : std::min(max, std::string(end.text()));
  }
  CHECK_OK(rows.bound(bytes_of(min), true, bytes_of(max)));
  KeyCount count(*slot.sharding);
  const Status status = count.run(rows, go_on);
  rows.reset();
  CHECK_OK(status);
  if (!only.empty() && count.largest().empty()) count.largest().push_back({only, 0});
  partition.activity().end_count(point.time(), count.largest(), only.empty(), count.rest());
  return {};
}

/// `only` is empty: all keys.
Status count(Store& store, Partition& partition, std::string only, const std::function<Status()>& go_on) {
  const PartitionSlot* slot = nullptr;
  const auto collection = find_home(store, partition, slot);
  if (slot == nullptr || slot->sharding == nullptr) return {};  // The map has changed: so will what is asked for.
  Activity& activity = partition.activity();
  if (!activity.begin_count()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
  if (activity.counted_singly() > partition.counters().total().bytes) only.clear();
  Status status = count_range(store, partition, *slot, only, go_on);
  if (!status.ok()) activity.give_up_count();
  return status;
}

}  // namespace

Status count_key(Store& store, Partition& partition, const std::string& logical_key, const std::function<Status()>& go_on) {
  return count(store, partition, logical_key, go_on);
}

Status count_keys(Store& store, Partition& partition, const std::function<Status()>& go_on) {
  return count(store, partition, {}, go_on);
}

std::string shown_size(std::int64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits{" bytes", " KB", " MB", " GB"};
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return std::to_string(bytes).append(kUnits[unit]);
}

}  // namespace partita::shards
