// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immintrin.h>

#include <chrono>
#include <mutex>
#include <thread>

namespace partita::shards {

/// Lets those who do something for a few microseconds do it one after the other, where that is cheaper than all at once and
/// nothing more: who finds it taken looks again for about that long before it sleeps, for falling asleep and being woken
/// costs more than the wait, and goes ahead without a turn when it has slept for long. Whoever has the turn may be held up
/// by something that only those who wait for it can end.
class Turn {
 public:
  using Lock = std::unique_lock<std::timed_mutex>;

  /// Owns the turn, or does not.
  Lock take() {
    constexpr int kLooks = 200;
    for (int i = 0; i < kLooks; ++i) {
      if (Lock lock(mutex_, std::try_to_lock); lock.owns_lock()) return lock;
      _mm_pause();
    }
    return wait();
  }

 private:
  Lock wait() {
    constexpr std::chrono::milliseconds kPatience(10);
#ifdef __SANITIZE_THREAD__  // GCC 12's does not see locks that are taken against the steady clock.
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < until) {
      if (Lock lock(mutex_, std::try_to_lock); lock.owns_lock()) return lock;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return {};
#else
    return Lock(mutex_, kPatience);
#endif
  }
  std::timed_mutex mutex_;
};

}  // namespace partita::shards
