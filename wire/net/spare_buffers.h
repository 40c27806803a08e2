// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "wire/bson/buffer.h"

namespace partita::wire {

/// Buffers that connections of one core borrow while they have bytes in hand, so that an idle connection holds none and
/// a busy core works in memory that is warm. What large messages have blown up is kept as well, for a megabyte of new
/// memory costs more than what is received into it; but not for long. Used on that core only.
class SpareBuffers {
 public:
  bson::Buffer take() {
    if (spare_.empty()) return bson::Buffer(kSize);
    bson::Buffer buffer = std::move(spare_.back());
    spare_.pop_back();
    untouched_ = std::min(untouched_, spare_.size());
    if (is_large(buffer)) large_bytes_ -= buffer.capacity();
    return buffer;
  }
  /// One too many is freed.
  void give(bson::Buffer buffer) {
    if (buffer.capacity() < kSize || spare_.size() >= kMostKept) return;
    if (is_large(buffer)) {
      if (large_bytes_ + buffer.capacity() > kMostLargeBytes) return;
      large_bytes_ += buffer.capacity();
    }
    buffer.clear();
    spare_.push_back(std::move(buffer));
  }
  bool has_large() const { return large_bytes_ > 0; }
  /// Frees the large ones that nobody has needed since the last call.
  void trim() {
    const auto touched = spare_.begin() + static_cast<std::ptrdiff_t>(untouched_);
    const auto kept = std::remove_if(spare_.begin(), touched, [this](const bson::Buffer& buffer) {
      if (!is_large(buffer)) return false;
      large_bytes_ -= buffer.capacity();
      return true;
    });
    spare_.erase(kept, touched);
    untouched_ = spare_.size();
  }

 private:
  static constexpr std::size_t kSize = 16 * 1024;
  static constexpr std::size_t kMostKept = 64;
  static constexpr std::size_t kLarge = 256 * 1024;
  static constexpr std::size_t kMostLargeBytes = 32 << 20;
  static bool is_large(const bson::Buffer& buffer) { return buffer.capacity() > kLarge; }

  std::vector<bson::Buffer> spare_;  ///< The one given last is taken first.
  std::size_t untouched_ = 0;        ///< So many at the bottom have lain there since the last trim().
  std::size_t large_bytes_ = 0;
};

}  // namespace partita::wire
