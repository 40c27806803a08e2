// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace partita::shards {

/// When the cache begins to write what is dirty. Early: pages become compact soon, which is good for whoever reads what has
/// been written. Late: a page is written once with many new rows in it, not once for each few of them.
enum class Eviction : std::uint8_t { kEarly, kLate };

/// Says late while much is written, and early again when that is over. One thread.
class EvictionPace {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  EvictionPace(Eviction at_first, TimePoint now) : current_(at_first), window_began_(now), last_fast_(now) {}

  /// `written` bytes so far. What it is to be from now on, when that is something else.
  std::optional<Eviction> look(TimePoint now, std::uint64_t written);

 private:
  Eviction current_;
  TimePoint window_began_;
  std::uint64_t window_bytes_ = 0;  ///< Written before it.
  TimePoint last_fast_;
};

}  // namespace partita::shards
