// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>

#include "wire/error/status.h"

namespace partita::shards {

class Store;

/// Forgets what silent sessions have done: removes retry rows that are older than sessions live. A few at a time, each few
/// as a short write with a record of its own, so that nobody waits for it and every replayer forgets the same. One thread.
class RetryReaper {
 public:
  RetryReaper(Store& store, std::uint32_t timeout_seconds) : store_(store), timeout_seconds_(timeout_seconds) {}

  /// Looks at the next rows in the order of their keys. True behind the last row: the next step begins with the first.
  /// On failure nothing has been removed and the next step looks at the same rows.
  Result<bool> step();
  /// Some steps, and after a whole round none for a while: what a background thread calls every second.
  void turn();

 private:
  using Clock = std::chrono::steady_clock;

  Store& store_;
  const std::uint32_t timeout_seconds_;
  std::string position_;  ///< Where the next step begins; empty at the beginning.
  Clock::time_point rests_until_{};
};

}  // namespace partita::shards
