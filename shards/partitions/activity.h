// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <memory>

#include "query/shard_key/shard_key.h"
#include "shards/partitions/counters.h"
#include "shards/partitions/gate.h"
#include "shards/partitions/key_sketch.h"

namespace partita::shards {

/// What passes through a partition: how many reads and writes, and which logical keys take the most of its bytes and of its
/// operations. Always on: an operation costs one addition to a counter that hardly anybody shares, a change a few steps
/// more under a spin lock, and nothing is allocated. Thread-safe.
class Activity {
 public:
  enum class Kind : std::uint8_t { kRead, kWrite };

  void count(Kind kind, std::int64_t operations = 1) {
    stripes_[stripe()].counts[static_cast<std::size_t>(kind)].fetch_add(operations, std::memory_order_relaxed);
  }
  struct Operations {
    std::int64_t reads = 0;
    std::int64_t writes = 0;
  };
  /// Since the partition was made, or the server started.
  Operations operations() const;

  /// A change of a logical key has committed. `replayed`: at a start, when what was saved may know of it already.
  void feed(const KeyTouch& touch, Time commit_time, bool replayed = false);
  /// A document was read by its key: one of so many is noted.
  void note_read(Bytes record_key, const query::ShardKey& shard_key);

  /// What a logical key takes at most.
  KeySketch::Bound bound(std::uint64_t hash, Bytes logical_key) const;
  // A limit of what a key takes holds although writers do not see what others have under way: near the limit they set aside
  // what they are about to add, until that has been fed or released. Far from it they need not, see is_far().
  //
  // Who is far adds little, and all who can be at it at once add no more than the distance that they keep. Whoever sets
  // something aside therefore counts those who are inside the gate, at what each may add, and they what is set aside: of the
  // two who do so at one moment one at least sees the other.
  enum class Room : std::uint8_t { kReserved, kFull, kUnknown };
  /// A unit of work may add so many bytes to the partition without setting them aside.
  bool is_far(const Counters& counters, std::int64_t bytes, std::int64_t limit) const {
    const std::int64_t reserved = reserved_.load(std::memory_order_seq_cst);  // First: it is added to the counters, then taken off.
    return bytes <= limit / kShares && counters.total().bytes + reserved + bytes <= limit - limit / kDistance;
  }
  /// Sets `bytes` aside if the key has room for them behind `own`, what the asker has added without. kUnknown: it must be
  /// counted before that can be told.
  Room reserve(const KeyTouch& touch, std::int64_t own, std::int64_t limit, const Counters& counters, const Gate& gate);
  void release(std::uint64_t hash, std::int64_t bytes);

  std::vector<KeySketch::Entry> largest(std::size_t most) const;
  std::vector<KeySketch::Entry> hottest(std::size_t most) const;

  // Counting exactly what is only known roughly, while writers go on: between the two calls all changes are remembered, and
  // those later than the moment that was counted are added to it.
  /// False when somebody is counting already.
  bool begin_count();
  struct Counted {
    std::string key;
    std::int64_t bytes = 0;
  };
  /// `all`: nothing but these is there, up to `rest` bytes a key.
  void end_count(Time counted_at, const std::vector<Counted>& keys, bool all, std::int64_t rest);
  void give_up_count();
  /// Bytes that have been counted key by key since all were.
  std::int64_t counted_singly() const { return counted_singly_.load(std::memory_order_relaxed); }

  /// A partition that begins with so many bytes of which nothing is known.
  void assume(std::int64_t bytes);
  /// It was made of these, or of a part of them, whose writers are kept out: what is known of the keys from min up to max
  /// holds here. Of a key that reaches beyond, all of its bytes may be; where `divided`, each parent may have a part of it.
  struct Inheritance {
    std::string_view min, max;
    std::int64_t bytes = INT64_MAX;  ///< What it begins with: no key has more.
    bool divided = false;
  };
  void inherit(const std::vector<const Activity*>& parents, const Inheritance& part);

  /// As a checkpoint keeps it; false when there is nothing to keep.
  bool save(bson::Writer& row) const;
  void restore(bson::View row);

 private:
  class Lock;
  struct Reservation {
    std::uint64_t hash;
    std::int64_t bytes;
  };
  static constexpr std::size_t kBuckets = 64;
  struct Sketches {
    KeySketch bytes;
    KeySketch operations;
    std::int64_t noted = 0;  ///< Of operations, since they were last halved.
    /// By their hashes; one for each key. A batch may name thousands.
    std::array<std::vector<Reservation>, kBuckets> reserved;
  };
  struct Later {
    Time time;
    std::uint64_t hash;
    std::int64_t bytes;
    std::string key;
  };
  struct alignas(64) Stripe {
    std::array<std::atomic<std::int64_t>, 2> counts{};
  };
  static constexpr std::size_t kStripes = 4;
  /// Who is far keeps an eighth of the limit away from it, and adds no more than a 2048th of that: more writers at once there
  /// are not.
  static constexpr std::int64_t kDistance = 8;
  static constexpr std::int64_t kShares = kDistance * 2048;
  static std::size_t stripe();
  Sketches& sketches() const;
  void note_operation(std::uint64_t hash, Bytes key, std::int64_t weight);
  void take_off(std::uint64_t hash, std::int64_t bytes);
  static void add_heirloom(std::vector<KeySketch::Entry>& all, KeySketch::Entry entry, const Inheritance& part);

  std::array<Stripe, kStripes> stripes_;
  mutable std::atomic_flag held_;
  mutable std::unique_ptr<Sketches> sketches_;  ///< Made when there is something to note: not every partition has keys.
  std::int64_t assumed_ = 0;
  bool counting_ = false;
  std::vector<Later> later_;
  std::atomic<std::int64_t> reserved_{0};  ///< All together.
  std::atomic<std::int64_t> counted_singly_{0};
};

}  // namespace partita::shards
