// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>

namespace partita::shards {

/// The growing end of a capped collection. Its writers go one at a time, so that the order of the numbers that they give
/// out is the order in which documents become visible, and nobody who reads up to the end misses one that comes before it
/// later. Readers wait here for more. Other partitions have one too, and do not use it. Thread-safe.
class Tail {
 public:
  /// A writer's turn: from before its transaction begins until that has ended.
  class Turn {
   public:
    Turn() = default;
    explicit Turn(Tail& tail) : held_(tail.turn_, std::defer_lock) {}
    bool try_take() { return held_.try_lock(); }
    bool take_within(std::chrono::milliseconds patience) { return held_.try_lock_for(patience); }

   private:
    std::unique_lock<std::timed_mutex> held_;
  };

  // For who has the turn. What is not known yet, after a start, is 0 and empty.
  std::uint64_t last_number = 0;
  std::string oldest;  ///< There is no record below this key.

  /// What is read after this was asked for holds everything that does not change it.
  std::uint64_t changes() const { return changes_.load(std::memory_order_seq_cst); }
  /// Something has come, or the collection has changed: wakes all who wait. After the commit.
  void changed();

  /// Somebody who waits, until it is destroyed.
  class Waiter {
   public:
    Waiter(Tail& tail, std::function<void()> wake);
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    /// Nothing calls `wake` any more then.
    ~Waiter();

   private:
    friend class Tail;
    Tail& tail_;
    std::function<void()> wake_;
    std::list<Waiter*>::iterator place_;
  };

 private:
  std::timed_mutex turn_;
  std::atomic<std::uint64_t> changes_{0};
  std::atomic<std::size_t> waiting_{0};  ///< Writers whom nobody waits for do no more than look at it.
  std::mutex mutex_;
  std::list<Waiter*> waiters_;
};

}  // namespace partita::shards
