// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/clock.h"

#include <algorithm>
#include <chrono>

namespace partita::shards {

std::int64_t SystemWallClock::now_ms() const {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Time HybridClock::tick() {
  const Time wall = static_cast<Time>(wall_.now_ms() / 1000) << 32;
  Time last = last_.load(std::memory_order_relaxed);
  Time next = 0;
  do {
    next = std::max(last + 1, wall + 1);  // Ordinals begin at 1, as MongoDB's do.
  } while (!last_.compare_exchange_weak(last, next, std::memory_order_acq_rel));
  return next;
}

void HybridClock::observe(Time seen) {
  Time last = last_.load(std::memory_order_relaxed);
  while (last < seen && !last_.compare_exchange_weak(last, seen, std::memory_order_acq_rel)) {
  }
}

}  // namespace partita::shards
