// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace partita::shards {

/// A commit time: seconds in the upper half, an ordinal within the second in the lower: the bits of a BSON timestamp.
using Time = std::uint64_t;

constexpr std::uint32_t seconds_of(Time time) { return static_cast<std::uint32_t>(time >> 32); }

/// Where a hybrid clock reads the wall: real in the server, virtual in a simulation.
class WallClock {
 public:
  virtual ~WallClock() = default;
  virtual std::int64_t now_ms() const = 0;
};

class SystemWallClock final : public WallClock {
 public:
  std::int64_t now_ms() const override;
};

/// Hybrid logical clock: as near to the wall as it can be while always going forward. Thread-safe.
class HybridClock {
 public:
  explicit HybridClock(const WallClock& wall) : wall_(wall) {}

  /// A time later than every one given or observed before.
  Time tick();
  /// The latest time given or observed, without moving.
  Time now() const { return last_.load(std::memory_order_acquire); }
  /// From now on times are later than `seen`: after recovery, and for times that come from elsewhere.
  void observe(Time seen);
  const WallClock& wall() const { return wall_; }

 private:
  const WallClock& wall_;
  std::atomic<Time> last_{0};
};

}  // namespace partita::shards
