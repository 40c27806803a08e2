// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "wire/net/worker_pool.h"

namespace partita::shards {

/// How many threads one query may have, and from where.
struct CrewSize {
  wire::WorkerPool* pool = nullptr;  ///< Null: the caller is alone.
  unsigned helpers = 0;              ///< Beside the caller.
  /// They are called when the caller has been busy for a moment, which small queries never are; else at once.
  bool when_busy = true;
};

/// How many helpers `legs` pieces of work may have: 0 and 1 mean none, n all but the caller, -1 as many as there are
/// processors for, at once if it is known that so many `rows` will be looked at that they are worth while.
CrewSize crew_size(wire::WorkerPool* pool, std::int64_t degree, std::size_t legs, std::int64_t rows = 0);

/// The threads that work on one query for a while: the caller's own, and helpers out of a pool. A helper that comes late,
/// or not at all, is waited for by nobody: the caller does all the work that nobody else has begun. So the pool may be as
/// busy as it likes, and nothing stands still.
class Crew {
 public:
  using Work = std::function<void(unsigned number)>;
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::microseconds kPatience{300};

  /// Helpers will run `work`, with numbers from 1 on below threads(); the caller is number 0.
  Crew(const CrewSize& size, Work work);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew() { dismiss(); }

  /// Calls helpers, unless they are to be called when the caller has been busy.
  void start() {
    if (!size_.when_busy) call();
  }
  /// Somebody looks up from the work, every now and then: is it time to call them? Any thread of the crew.
  void look_up() {
    if (called_.load(std::memory_order_relaxed) || Clock::now() - begun_ < kPatience) return;
    call();
  }
  /// Helpers who had nothing to do have left, and there is something now.
  void call_back() {
    if (called_.load(std::memory_order_relaxed)) call();
  }
  /// Helpers that are at work now, of all crews.
  static std::int64_t helping();
  /// No more helpers begin, and those that have begun have ended their work when this returns.
  void dismiss();

 private:
  struct Roster {
    std::mutex mutex;
    std::condition_variable left;
    Work work;
    bool closed = false;
    std::vector<bool> taken;       ///< By number - 1: a helper of that number is at work.
    std::atomic<unsigned> out = 0; ///< Called, and not yet gone again.
    unsigned inside = 0;
  };
  static void help(Roster& roster);
  static void join(Roster& roster);
  void call();

  const CrewSize size_;
  const Clock::time_point begun_ = Clock::now();
  std::atomic<bool> called_{false};
  std::shared_ptr<Roster> roster_;  ///< Shared with jobs that may start when all is over.
};

}  // namespace partita::shards
