// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wire/net/job.h"

namespace partita::wire {

/// Threads for work that may block or run long, so that the io threads never do. Any thread may submit; jobs start in
/// the order in which they came. A job must not throw.
///
/// A few threads are always there. When a job has waited for a moment because long ones hold all of them, more are
/// started: then the processors' time is shared out between long and short work by the kernel, and a short job need not
/// wait for the end of a long one. Those threads end when they have had nothing to do for a while.
class WorkerPool {
 public:
  struct Growth {
    unsigned (*most)() = nullptr;             ///< Threads at most, asked anew each time; null: it never grows.
    std::chrono::milliseconds patience{5};    ///< How long a job waits before there is one more thread.
    std::chrono::milliseconds idle{5000};     ///< How long an additional thread stays without work.
  };

  /// `name` prefixes the threads' names. At most `max_waiting` jobs wait: more of them would only wait in vain.
  WorkerPool(std::string name, unsigned threads, std::size_t max_waiting, Growth growth);
  WorkerPool(std::string name, unsigned threads, std::size_t max_waiting)
      : WorkerPool(std::move(name), threads, max_waiting, Growth{}) {}
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() { drain(); }

  /// False, and the job left untouched in the caller's hands, when the queue is full or the pool is draining.
  [[nodiscard]] bool submit(Job&& job);

  /// Refuses new jobs, runs those that wait, and returns when the threads have ended. Harmless when called again.
  void drain();

  unsigned threads() const;
  std::size_t waiting() const;

 private:
  using Clock = std::chrono::steady_clock;
  using Threads = std::list<std::thread>;
  struct Waiting {
    Job job;
    Clock::time_point since;
  };

  void work(const std::string& name);
  void work_for_a_while(Threads::iterator self);
  /// Puts the next job in the place of the one that has run, if one has; false when there is none and `deadline` has
  /// passed or the pool drains.
  bool next(Job& job, const Clock::time_point* deadline);
  void watch();
  /// One thread more; false when the system gives none.
  bool grow();
  void join_ended(std::unique_lock<std::mutex>& lock);
  bool crowded() const { return jobs_.size() > idle_; }

  const std::string name_;
  const std::size_t max_waiting_;
  const Growth growth_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::condition_variable wanted_;  ///< What the watcher sleeps on: a crowd, a thread that has ended, the drain.
  std::deque<Waiting> jobs_;
  std::size_t idle_;         ///< Threads that run no job.
  bool watching_ = false;    ///< The watcher is awake, or will be by itself: nobody need call it.
  bool draining_ = false;
  std::vector<std::thread> threads_;
  Threads additional_;
  Threads ended_;            ///< Additional ones that only have to be joined.
  std::thread watcher_;
};

}  // namespace partita::wire
