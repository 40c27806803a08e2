// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace partita::log {

/// The last `capacity` lines. Safe from any thread; a line is copied into the memory of the one it displaces.
class Ring {
 public:
  explicit Ring(std::size_t capacity) : capacity_(capacity) {}

  void push(std::string_view line) {
    const std::lock_guard lock(mutex_);
    const std::size_t slot = static_cast<std::size_t>(total_++) % capacity_;
    if (slot == lines_.size()) {
      lines_.emplace_back(line);
    } else {
      lines_[slot].assign(line);
    }
  }
  /// Oldest first.
  std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all = lines_;
    if (lines_.size() == capacity_)
      std::rotate(all.begin(), all.begin() + total_ % static_cast<std::int64_t>(capacity_), all.end());
    return all;
  }
  std::int64_t total() const {
    const std::lock_guard lock(mutex_);
    return total_;
  }

 private:
  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
  std::int64_t total_ = 0;
};

}  // namespace partita::log
