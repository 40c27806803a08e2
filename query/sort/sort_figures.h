// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace partita::query {

/// What sorting took, for explain.
struct SortFigures {
  std::uint64_t bytes = 0;   ///< Of the rows that were kept, with their keys.
  std::uint64_t spills = 0;  ///< How often memory was written out.

  SortFigures& operator+=(const SortFigures& other) {
    bytes += other.bytes;
    spills += other.spills;
    return *this;
  }
};

}  // namespace partita::query
