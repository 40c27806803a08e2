// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "wire/bson/buffer.h"

namespace partita::wire {

/// Buffers that connections of one core borrow while they have bytes in hand, so that an idle connection holds none and
/// a busy core works in memory that is warm. Used on that core only.
class SpareBuffers {
 public:
  bson::Buffer take() {
    if (spare_.empty()) return bson::Buffer(kSize);
    bson::Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  /// A buffer that a large message has blown up is freed, and so is one too many.
  void give(bson::Buffer buffer) {
    if (buffer.capacity() < kSize || buffer.capacity() > kLargestKept || spare_.size() >= kMostKept) return;
    buffer.clear();
    spare_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t kSize = 16 * 1024;
  static constexpr std::size_t kLargestKept = 256 * 1024;
  static constexpr std::size_t kMostKept = 64;
  std::vector<bson::Buffer> spare_;
};

/// One io thread: everything about a connection happens on the core that it was dealt to, so nothing there is locked.
struct Core {
  explicit Core(unsigned number);

  const unsigned number;
  boost::asio::io_context io;
  SpareBuffers buffers;
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
