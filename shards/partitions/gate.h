// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace partita::shards {

/// The door of a partition. Writers pass with the map version that they were routed by; whoever changes what a partition
/// is (its indexes, its range, its life) closes the door, waits until it is empty, and opens it with a new version.
/// Entering is one atomic addition.
class Gate {
 public:
  enum class Pass : std::uint8_t {
    kEntered,
    kClosed,  ///< Closed for the moment: wait on a thread that may block, or route again later.
    kStale,   ///< Routed by an old version: load the map and route again.
  };

  Pass enter(std::uint64_t version) {
    const std::int64_t before = inside_.fetch_add(1, std::memory_order_seq_cst);  // See Activity::reserve().
    if (before < 0) [[unlikely]] {
      leave();
      return Pass::kClosed;
    }
    if (version_.load(std::memory_order_relaxed) != version) [[unlikely]] {
      leave();
      return Pass::kStale;
    }
    return Pass::kEntered;
  }
  void leave() {
    if (inside_.fetch_sub(1, std::memory_order_acq_rel) == kClosed + 1) {
      const std::lock_guard lock(mutex_);
      empty_.notify_all();
    }
  }

  /// Lets nobody in any more and waits for those inside. One closer at a time: the catalog sees to it.
  void close() {
    hold();
    std::unique_lock lock(mutex_);
    empty_.wait(lock, [&] { return inside_.load(std::memory_order_acquire) == kClosed; });
  }
  void open(std::uint64_t version) {
    version_.store(version, std::memory_order_relaxed);
    let_go();
  }
  /// Lets nobody in for a moment, and waits for nobody. Several may, beside one who closes; the last one to let go opens.
  void hold() {
    const std::lock_guard lock(mutex_);
    if (holders_++ == 0) inside_.fetch_add(kClosed, std::memory_order_acq_rel);
  }
  void let_go() {
    {
      const std::lock_guard lock(mutex_);
      if (--holders_ > 0) return;
      inside_.fetch_sub(kClosed, std::memory_order_acq_rel);
    }
    opened_.notify_all();
  }
  /// Blocks while the gate is closed, but not longer than that. Not on an io thread.
  void wait_open(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    opened_.wait_for(lock, at_most, [&] { return inside_.load(std::memory_order_acquire) >= 0; });
  }
  /// Names the version that writers must come with, without closing: for changes that writers need not notice.
  void set_version(std::uint64_t version) { version_.store(version, std::memory_order_relaxed); }
  std::uint64_t version() const { return version_.load(std::memory_order_relaxed); }
  bool is_closed() const { return inside_.load(std::memory_order_relaxed) < 0; }
  /// Somebody is about to close it: who would stay inside for long does it in several visits. Keeps nobody out.
  void announce(int more) { announced_.fetch_add(more, std::memory_order_relaxed); }
  bool is_announced() const { return announced_.load(std::memory_order_relaxed) > 0; }
  /// How many are inside, or at the door.
  std::int64_t inside() const {
    const std::int64_t now = inside_.load(std::memory_order_seq_cst);
    return now < 0 ? now - kClosed : now;
  }

 private:
  static constexpr std::int64_t kClosed = INT64_MIN / 2;
  std::atomic<std::int64_t> inside_{0};
  std::atomic<std::uint64_t> version_{0};
  std::atomic<int> announced_{0};
  int holders_ = 0;
  std::mutex mutex_;
  std::condition_variable empty_;
  std::condition_variable opened_;
};

/// Holds a partition's door for as long as a write needs it.
class Inside {
 public:
  explicit Inside(Gate& gate) : gate_(&gate) {}
  Inside(Inside&& other) noexcept : gate_(other.gate_) { other.gate_ = nullptr; }
  Inside& operator=(Inside&&) = delete;
  /// Somebody has closed the gate and waits.
  bool is_awaited() const { return gate_->is_closed(); }
  bool is_announced() const { return gate_->is_announced(); }
  ~Inside() {
    if (gate_ != nullptr) gate_->leave();
  }

 private:
  Gate* gate_;
};

}  // namespace partita::shards
