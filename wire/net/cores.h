// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "wire/net/spare_buffers.h"

namespace partita::wire {

/// One io thread: everything about a connection happens on the core that it was dealt to, so nothing there is locked.
struct Core {
  explicit Core(unsigned number);
  void give_back(bson::Buffer buffer) {
    if (!LargeBuffers::keeps(buffer)) return buffers.give(std::move(buffer));
    large.give(std::move(buffer));
    if (!trimming_ && !large.empty()) begin_trimming();
  }

  const unsigned number;
  boost::asio::io_context io;
  SpareBuffers buffers;
  LargeBuffers large;

 private:
  void begin_trimming();
  boost::asio::steady_timer moment_;
  bool trimming_ = false;
};

/// The io threads, one per processor.
class Cores {
 public:
  /// 0 = as many as the hardware runs at once.
  explicit Cores(unsigned count = 0);
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;
  ~Cores() { stop(); }

  unsigned count() const { return static_cast<unsigned>(cores_.size()); }
  Core& operator[](unsigned number) { return cores_[number]; }
  /// The core for the next connection: each in turn, which is even where a kernel's hashing is not. Any thread.
  Core& next() { return cores_[turn_.fetch_add(1, std::memory_order_relaxed) % cores_.size()]; }

  /// Ends the threads after the handler that each runs just now. Harmless when called again.
  void stop();

 private:
  using WorkGuard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;
  std::deque<Core> cores_;  ///< A deque leaves its elements where they are.
  std::vector<WorkGuard> guards_;
  std::vector<std::thread> threads_;
  std::atomic<unsigned> turn_{0};
};

}  // namespace partita::wire
