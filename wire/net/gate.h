// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

namespace partita::wire {

/// Counts work that outlives whoever started it, so that an owner can refuse new work and wait for the old before it
/// goes away:
///
///     if (auto pass = gate.enter()) workers.submit([pass = std::move(*pass)] { ... });
///     ...
///     gate.close();  // Nobody enters any more: returns when the last pass is gone.
///
/// All functions may be called from any thread. The gate must outlive its passes, which close() is there to ensure.
class Gate {
 public:
  /// The right to be inside; leaves when destroyed.
  class Pass {
   public:
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&& other) noexcept {
      std::swap(gate_, other.gate_);
      return *this;
    }
    ~Pass() {
      if (gate_ != nullptr) gate_->leave();
    }

   private:
    friend class Gate;
    explicit Pass(Gate* gate) : gate_(gate) {}
    Gate* gate_;
  };

  Gate() = default;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Nothing when the gate is closed.
  std::optional<Pass> enter() {
    const std::lock_guard lock(mutex_);
    if (closed_) return std::nullopt;
    ++inside_;
    return Pass(this);
  }

  /// Lets nobody in from now on, without waiting.
  void shut() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }

  /// Shuts the gate and waits until it is empty.
  void close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    empty_.wait(lock, [this] { return inside_ == 0; });
  }

  /// The same with an end to the patience: whether it is empty now.
  bool close_until(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    closed_ = true;
    return empty_.wait_until(lock, deadline, [this] { return inside_ == 0; });
  }

  std::size_t inside() const {
    const std::lock_guard lock(mutex_);
    return inside_;
  }

 private:
  void leave() {
    const std::lock_guard lock(mutex_);
    // Notified under the lock: the one who waits may destroy the gate as soon as it sees zero.
    if (--inside_ == 0) empty_.notify_all();
  }

  mutable std::mutex mutex_;
  std::condition_variable empty_;
  std::size_t inside_ = 0;
  bool closed_ = false;
};

}  // namespace partita::wire
