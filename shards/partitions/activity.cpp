// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/activity.h"

#include <algorithm>

#include "wire/bson/writer.h"

namespace partita::shards {
namespace {

/// One in so many reads, and of changes' operations, is noted, and counts for all of them.
constexpr std::int64_t kSampling = 16;
/// What was hot shall be so now: after so many operations all that were noted before count half.
constexpr std::int64_t kNotedUntilHalved = 1 << 16;
/// While keys are counted, so many changes are remembered; a count that takes longer is given up.
constexpr std::size_t kMostLater = 1 << 20;

bool is_sampled() {
  thread_local std::int64_t turn = 0;
  return ++turn % kSampling == 0;
}

Bytes bytes(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

}  // namespace

class Activity::Lock {
 public:
  explicit Lock(const Activity& activity) : held_(activity.held_) {
    while (held_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  }
  ~Lock() { held_.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::atomic_flag& held_;
};

std::size_t Activity::stripe() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % kStripes;
  return mine;
}

Activity::Operations Activity::operations() const {
  Operations sum;
  for (const Stripe& stripe : stripes_) {
    sum.reads += stripe.counts[0].load(std::memory_order_relaxed);
    sum.writes += stripe.counts[1].load(std::memory_order_relaxed);
  }
  return sum;
}

Activity::Sketches& Activity::sketches() const {
  if (sketches_ == nullptr) {
    sketches_ = std::make_unique<Sketches>();
    sketches_->bytes.set_rest(assumed_);
  }
  return *sketches_;
}

void Activity::note_operation(std::uint64_t hash, Bytes key, std::int64_t weight) {
  Sketches& known = sketches();
  known.operations.add(hash, key, weight);
  known.noted += weight;
  if (known.noted < kNotedUntilHalved) return;
  known.operations.halve();
  known.noted /= 2;
}

void Activity::feed(const KeyTouch& touch, Time commit_time, bool replayed) {
  const bool noted = is_sampled();
  const Lock lock(*this);
  if (touch.reserved > 0) take_off(touch.hash, touch.reserved);
  if (noted) note_operation(touch.hash, touch.key, touch.operations * kSampling);
  if (touch.bytes == 0) return;
  // What was saved may have a replayed change already: counted twice it is still a bound, taken off twice it would be none.
  if (!replayed || touch.bytes > 0) sketches().bytes.add(touch.hash, touch.key, touch.bytes, !replayed);
  if (!counting_ || later_.size() == kMostLater) return;
  later_.push_back({commit_time, touch.hash, touch.bytes, std::string(reinterpret_cast<const char*>(touch.key.data()), touch.key.size())});
}

void Activity::note_read(Bytes record_key, const query::ShardKey& shard_key) {
  if (!is_sampled()) return;
  const Bytes logical = shard_key.has_id() ? record_key : record_key.first(shard_key.logical_size(record_key));
  const std::uint64_t hash = hash_of_key(logical);
  const Lock lock(*this);
  note_operation(hash, logical, kSampling);
}

KeySketch::Bound Activity::bound(std::uint64_t hash, Bytes logical_key) const {
  const Lock lock(*this);
  return sketches().bytes.bound(hash, logical_key);
}

void Activity::take_off(std::uint64_t hash, std::int64_t bytes) {
  std::vector<Reservation>& bucket = sketches().reserved[hash % kBuckets];
  const auto known = std::ranges::find(bucket, hash, &Reservation::hash);
  known->bytes -= bytes;
  if (known->bytes == 0) {
    *known = bucket.back();
    bucket.pop_back();
  }
  reserved_.fetch_sub(bytes, std::memory_order_seq_cst);
}

// Keys of one hash share what is set aside: that refuses a little early what two of them ask for at the same moment.
Activity::Room Activity::reserve(const KeyTouch& touch, std::int64_t own, std::int64_t limit, const Counters& counters,
                                 const Gate& gate) {
  reserved_.fetch_add(touch.bytes, std::memory_order_seq_cst);
  const std::int64_t others = std::max<std::int64_t>(gate.inside() - 1, 0) * (limit / kShares);
  const Lock lock(*this);
  std::vector<Reservation>& bucket = sketches().reserved[touch.hash % kBuckets];
  const auto there = std::ranges::find(bucket, touch.hash, &Reservation::hash);
  const std::int64_t reserved = there == bucket.end() ? 0 : there->bytes;
  const KeySketch::Bound known = sketches().bytes.bound(touch.hash, touch.key);
  // In here the counters have all that has been fed. A part of a partition is no more than the whole.
  const std::int64_t before = std::min(known.weight, counters.total().bytes);
  if (before <= limit - (reserved + own + others + touch.bytes)) {
    if (there == bucket.end()) bucket.push_back({touch.hash, touch.bytes});
    else there->bytes += touch.bytes;
    return Room::kReserved;
  }
  reserved_.fetch_sub(touch.bytes, std::memory_order_seq_cst);
  return known.exact ? Room::kFull : Room::kUnknown;
}

void Activity::release(std::uint64_t hash, std::int64_t bytes) {
  const Lock lock(*this);
  take_off(hash, bytes);
}

std::vector<KeySketch::Entry> Activity::largest(std::size_t most) const {
  const Lock lock(*this);
  return sketches_ == nullptr ? std::vector<KeySketch::Entry>() : sketches_->bytes.top(most);
}

std::vector<KeySketch::Entry> Activity::hottest(std::size_t most) const {
  const Lock lock(*this);
  return sketches_ == nullptr ? std::vector<KeySketch::Entry>() : sketches_->operations.top(most);
}

bool Activity::begin_count() {
  const Lock lock(*this);
  if (counting_) return false;
  counting_ = true;
  later_.clear();
  return true;
}

void Activity::end_count(Time counted_at, const std::vector<Counted>& keys, bool all, std::int64_t rest) {
  const Lock lock(*this);
  counting_ = false;
  const bool complete = later_.size() < kMostLater;
  std::vector<Later> later = std::exchange(later_, {});
  if (!complete) return;
  KeySketch& known = sketches().bytes;
  if (all) {
    known.clear();
    known.set_rest(rest);
    counted_singly_.store(0, std::memory_order_relaxed);
  }
  for (const Counted& key : keys) {
    known.set(bytes(key.key), key.bytes, true);
    if (!all) counted_singly_.fetch_add(key.bytes, std::memory_order_relaxed);
  }
  for (const Later& change : later) {
    if (change.time <= counted_at) continue;
    const auto same = [&](const Counted& key) { return key.key == change.key; };
    if (all || std::ranges::any_of(keys, same)) known.add(change.hash, bytes(change.key), change.bytes);
  }
}

void Activity::give_up_count() {
  const Lock lock(*this);
  counting_ = false;
  later_.clear();
}

void Activity::assume(std::int64_t bytes) {
  const Lock lock(*this);
  assumed_ = bytes;
  if (sketches_ != nullptr) sketches_->bytes.set_rest(bytes);
}

/// What one parent knows of a key, put to what the others do.
void Activity::add_heirloom(std::vector<KeySketch::Entry>& all, KeySketch::Entry entry, const Inheritance& part) {
  const std::string_view key = entry.key;
  const bool begins_before = key < part.min;
  const bool ends_behind = !part.max.empty() && part.max.starts_with(key);
  // No logical key is the beginning of another one: only a bound within it begins with it.
  if (begins_before && !part.min.starts_with(key)) return;
  if (!part.max.empty() && key >= part.max) return;
  entry.exact &= !begins_before && !ends_behind;
  const auto same = [&](const KeySketch::Entry& other) { return other.key == key; };
  const auto known = std::ranges::find_if(all, same);
  if (known == all.end()) return all.push_back(std::move(entry));
  known->weight += entry.weight;
  known->exact &= entry.exact;
}

void Activity::inherit(const std::vector<const Activity*>& parents, const Inheritance& part) {
  std::vector<KeySketch::Entry> sizes, operations;
  std::int64_t rest = 0;
  for (const Activity* parent : parents) {
    const Lock lock(*parent);
    const Sketches& known = parent->sketches();
    rest = part.divided ? rest + known.bytes.rest() : std::max(rest, known.bytes.rest());
    for (KeySketch::Entry& entry : known.bytes.top(KeySketch::kKeys)) add_heirloom(sizes, std::move(entry), part);
    for (KeySketch::Entry& entry : known.operations.top(KeySketch::kKeys)) add_heirloom(operations, std::move(entry), part);
  }
  const Lock lock(*this);
  Sketches& own = sketches();
  own.bytes.set_rest(std::min(own.bytes.rest(), rest));
  for (const auto& entry : sizes) {
    // A parent that does not keep the key may have some of it all the same.
    const std::int64_t most = entry.weight + (part.divided ? rest : 0);
    own.bytes.set(bytes(entry.key), std::min(most, part.bytes), entry.exact && most == entry.weight);
  }
  for (const auto& entry : operations) own.operations.set(bytes(entry.key), entry.weight, entry.exact);
}

bool Activity::save(bson::Writer& row) const {
  const Lock lock(*this);
  if (sketches_ == nullptr) return false;
  const auto write = [&](std::string_view name, const KeySketch& sketch) {
    bson::ArrayWriter array = row.array(name);
    for (std::size_t i = 0; i < sketch.size(); ++i) {
      bson::Writer one = array.document();
      one.add("key", bson::Binary{0, sketch.entry(i).key});
      one.add("weight", sketch.entry(i).weight);
    }
  };
  row.add("restOfKeys", sketches_->bytes.rest());
  write("largestKeys", sketches_->bytes);
  write("hottestKeys", sketches_->operations);
  return true;
}

void Activity::restore(bson::View row) {
  const auto rest = row["restOfKeys"].exact_int64();
  if (!rest) return;
  const Lock lock(*this);
  Sketches& own = sketches();
  const auto read = [&](std::string_view name, KeySketch& sketch) {
    if (!row[name].is_array()) return;
    for (const auto& [place, value] : row[name].as_document()) {
      const bson::View one = value.is_document() ? value.as_document() : bson::View();
      if (one["key"].is(bson::Type::kBinary)) {
        sketch.set(bytes(one["key"].as_binary().bytes), one["weight"].exact_int64().value_or(0), false);
      }
    }
  };
  read("largestKeys", own.bytes);
  read("hottestKeys", own.operations);
  own.bytes.set_rest(*rest);
}

}  // namespace partita::shards
