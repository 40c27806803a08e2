// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <random>
#include <vector>

#include "shards/log/clock.h"

namespace partita::shards {

/// The time of a simulation and everything that is still to happen in it. Time stands still while an event runs and then
/// jumps to the next; chance comes from one seed. So a run is the same run again for the same seed. One thread.
class VirtualTime final : public WallClock {
 public:
  explicit VirtualTime(std::uint64_t seed) : random_(seed) {}

  std::int64_t now_us() const { return now_us_; }
  std::int64_t now_ms() const override { return now_us_ / 1000; }

  void after(std::int64_t delay_us, std::function<void()> event);
  /// Runs the next event; false when nothing is left to happen.
  bool step();

  /// From `low` to `high`, both included.
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(double probability);
  std::uint64_t random() { return random_(); }

 private:
  struct Event {
    std::int64_t at_us;
    std::uint64_t number;  ///< Of two events at one moment the first planned comes first.
    std::function<void()> run;
    bool operator<(const Event& other) const {
      return at_us != other.at_us ? at_us > other.at_us : number > other.number;
    }
  };

  std::mt19937_64 random_;
  std::int64_t now_us_ = 1'700'000'000'000'000;  ///< Of late 2023: commit times look like commit times.
  std::uint64_t planned_ = 0;
  std::priority_queue<Event> events_;
};

}  // namespace partita::shards
