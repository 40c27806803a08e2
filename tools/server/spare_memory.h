// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace partita::server {

/// Gives the kernel what the allocator has kept free for a while: tcmalloc returns pages only as others are freed, so that a
/// server which is idle after one large query would hold the most that it ever had. Only what was free at every look of the
/// last ten counts, and that goes in small steps, for the allocator is locked meanwhile. Does nothing where the C library's
/// allocator serves.
class SpareMemory {
 public:
  /// Once a second.
  void look();

  /// The decision alone: given what is free now, how much of it shall go.
  std::size_t excess(std::size_t free_bytes) {
    seen_[next_++ % seen_.size()] = free_bytes;
    const std::size_t always_free = *std::min_element(seen_.begin(), seen_.end());
    return always_free > kKept && next_ >= seen_.size() ? std::min(always_free - kKept, kStep) : 0;
  }

  static constexpr std::size_t kKept = 64 << 20;   ///< What the next query may want.
  static constexpr std::size_t kStep = 128 << 20;  ///< Some 10 ms of the kernel's time.

 private:
  std::array<std::size_t, 10> seen_{};
  std::size_t next_ = 0;
};

}  // namespace partita::server
