// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "shards/log/clock.h"

namespace partita::shards {

/// What a change does to the size of a partition.
struct Growth {
  std::int64_t documents = 0;
  std::int64_t bytes = 0;
  Growth& operator+=(const Growth& more) {
    documents += more.documents;
    bytes += more.bytes;
    return *this;
  }
  Growth operator+(const Growth& more) const { return {documents + more.documents, bytes + more.bytes}; }
  Growth operator-(const Growth& less) const { return {documents - less.documents, bytes - less.bytes}; }
};

/// Documents and bytes of one partition, exact at every checkpoint without a row that every writer would have to update:
/// commits add here after they have become visible, a checkpoint saves what had been added up to its time, and replay
/// adds the rest again. Held for nanoseconds under a spin lock, by every writer of the partition.
class Counters {
 public:
  /// `checkpoint_boundary` was read after the change had its time, so it is either the newest there is or, when a
  /// checkpoint has drawn one in between, an older one of a change that lies before both.
  void add(const Growth& growth, Time commit_time, Time checkpoint_boundary) {
    lock();
    total_ += growth;
    if (checkpoint_boundary > later_than_) {
      later_ = {};
      later_than_ = checkpoint_boundary;
    }
    if (commit_time > later_than_) later_ += growth;
    unlock();
  }
  Growth total() const {
    lock();
    const Growth total = total_;
    unlock();
    return total;
  }
  /// The size when everything up to `boundary`, and nothing later, had committed.
  Growth at(Time boundary) const {
    lock();
    Growth then = total_;
    if (later_than_ == boundary) {
      then.documents -= later_.documents;
      then.bytes -= later_.bytes;
    }
    unlock();
    return then;
  }
  void restore(const Growth& saved) {
    lock();
    total_ = saved;
    later_ = {};
    later_than_ = 0;
    unlock();
  }

 private:
  void lock() const {
    while (held_.test_and_set(std::memory_order_acquire)) __builtin_ia32_pause();
  }
  void unlock() const { held_.clear(std::memory_order_release); }

  mutable std::atomic_flag held_;
  Growth total_;
  Growth later_;         ///< The part of total_ that committed after later_than_.
  Time later_than_ = 0;  ///< The newest boundary heard of: it never goes back.
};

}  // namespace partita::shards
