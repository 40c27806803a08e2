// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <immintrin.h>

#include <mutex>

namespace partita::shards {

/// A mutex for what takes a few microseconds: who finds it taken looks again for about that long before it sleeps, for
/// falling asleep and being woken costs more than the wait.
class Turn {
 public:
  void lock() {
    constexpr int kLooks = 200;
    for (int i = 0; i < kLooks; ++i) {
      if (mutex_.try_lock()) return;
      _mm_pause();
    }
    mutex_.lock();
  }
  void unlock() { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

}  // namespace partita::shards
