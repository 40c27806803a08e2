// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace partita::commands {

/// Tells somebody at work that they shall stop, and wakes them where they wait instead. Thread-safe.
class KillSwitch {
 public:
  bool thrown() const { return thrown_.load(std::memory_order_relaxed); }

  void kill() {
    const std::lock_guard lock(mutex_);
    thrown_.store(true, std::memory_order_relaxed);
    if (wake_) std::exchange(wake_, {})();
  }
  /// Called once it is thrown, or at once if it has been. It must be short, and take no locks of those who kill.
  void on_kill(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    if (thrown()) return wake();
    wake_ = std::move(wake);
  }
  /// For the next one: nobody waits.
  void reset() {
    const std::lock_guard lock(mutex_);
    thrown_.store(false, std::memory_order_relaxed);
    wake_ = {};
  }

 private:
  std::atomic<bool> thrown_{false};
  std::mutex mutex_;
  std::function<void()> wake_;
};

}  // namespace partita::commands
