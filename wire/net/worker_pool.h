// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wire/net/job.h"

namespace partita::wire {

/// Threads for work that may block or run long, so that the io threads never do. Any thread may submit; jobs start in
/// the order in which they came. A job must not throw.
class WorkerPool {
 public:
  /// `name` prefixes the threads' names. At most `max_waiting` jobs wait: more of them would only wait in vain.
  WorkerPool(std::string name, unsigned threads, std::size_t max_waiting);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool() { drain(); }

  /// False, and the job left untouched in the caller's hands, when the queue is full or the pool is draining.
  [[nodiscard]] bool submit(Job&& job);

  /// Refuses new jobs, runs those that wait, and returns when the threads have ended. Harmless when called again.
  void drain();

  unsigned threads() const { return static_cast<unsigned>(threads_.size()); }
  std::size_t waiting() const;

 private:
  void work(const std::string& name);

  const std::size_t max_waiting_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Job> jobs_;
  bool draining_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace partita::wire
