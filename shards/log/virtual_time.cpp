// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/virtual_time.h"

namespace partita::shards {

void VirtualTime::after(std::int64_t delay_us, std::function<void()> event) {
  events_.push({now_us_ + delay_us, planned_++, std::move(event)});
}

bool VirtualTime::step() {
  if (events_.empty()) return false;
  const Event next = events_.top();
  events_.pop();
  now_us_ = next.at_us;
  next.run();
  return true;
}

// By hand, because what std's distributions make of an engine is each library's own matter, and a seed shall mean the same
// run everywhere.
std::int64_t VirtualTime::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

bool VirtualTime::chance(double probability) {
  return static_cast<double>(random_() >> 11) * 0x1.0p-53 < probability;
}

}  // namespace partita::shards
