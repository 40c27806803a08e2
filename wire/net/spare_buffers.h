// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "wire/bson/buffer.h"

namespace partita::wire {

/// Buffers that connections of one core borrow while they have bytes in hand, so that an idle connection holds none and
/// a busy core works in memory that is warm. Used on that core only.
class SpareBuffers {
 public:
  static constexpr std::size_t kLargest = 256 * 1024;

  bson::Buffer take() {
    if (spare_.empty()) return bson::Buffer(kSize);
    bson::Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    return buffer;
  }
  /// A buffer that a large message has blown up is freed, and so is one too many.
  void give(bson::Buffer buffer) {
    if (buffer.capacity() < kSize || buffer.capacity() > kLargest || spare_.size() >= kMostKept) return;
    buffer.clear();
    spare_.push_back(std::move(buffer));
  }

 private:
  static constexpr std::size_t kSize = 16 * 1024;
  static constexpr std::size_t kMostKept = 64;
  std::vector<bson::Buffer> spare_;
};

/// Those that large messages have blown up, kept for a moment: a megabyte of new memory costs more than what is received
/// into it. Only a message that has outgrown what SpareBuffers lends gets one; who waits, or says little, holds none.
/// Used on one core only.
class LargeBuffers {
 public:
  static bool keeps(const bson::Buffer& buffer) { return buffer.capacity() > SpareBuffers::kLargest; }

  /// For a message of which so many bytes are there: of twice that size, and not out of all proportion to it, for it may
  /// be that no more of it comes. Without memory when there is none like that.
  bson::Buffer take(std::size_t held) {
    const auto fits = [held](const bson::Buffer& one) { return one.capacity() >= 2 * held && one.capacity() <= 16 * held; };
    const auto found = std::find_if(spare_.rbegin(), spare_.rend(), fits);
    if (found == spare_.rend()) return {};
    const auto at = std::prev(found.base());
    bson::Buffer buffer = std::move(*at);
    bytes_ -= buffer.capacity();
    untouched_ = std::min(untouched_, static_cast<std::size_t>(at - spare_.begin()));
    spare_.erase(at);
    return buffer;
  }
  void give(bson::Buffer buffer) {
    if (bytes_ + buffer.capacity() > kMostBytes) return;
    bytes_ += buffer.capacity();
    buffer.clear();
    spare_.push_back(std::move(buffer));
  }
  bool empty() const { return spare_.empty(); }
  /// Frees those that nobody has needed since the last call.
  void trim() {
    const auto touched = spare_.begin() + static_cast<std::ptrdiff_t>(untouched_);
    std::for_each(spare_.begin(), touched, [this](const bson::Buffer& one) { bytes_ -= one.capacity(); });
    spare_.erase(spare_.begin(), touched);
    untouched_ = spare_.size();
  }

 private:
  static constexpr std::size_t kMostBytes = 32 << 20;
  std::vector<bson::Buffer> spare_;  ///< The one given last is taken first.
  std::size_t untouched_ = 0;        ///< So many at the bottom have lain there since the last trim().
  std::size_t bytes_ = 0;
};

}  // namespace partita::wire
