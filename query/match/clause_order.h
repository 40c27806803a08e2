// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace partita::query {

/// In which order the clauses of a conjunction are asked: as they were written at first, and then those that turn documents
/// down come forward. A clause passes the one before it when it has turned down more of what that let through, so that they
/// change places only where it pays. One scan's, one thread's.
class ClauseOrder {
 public:
  static constexpr std::size_t kMost = 8;

  /// Those of that conjunction; what is known of another one is forgotten.
  void begin(const void* of, std::size_t clauses) {
    if (of == of_ && clauses == clauses_) [[likely]] return;
    of_ = of;
    clauses_ = clauses;
    std::iota(clause_at_.begin(), clause_at_.end(), std::uint8_t{0});
    turned_down_.fill(0);
  }
  std::size_t operator[](std::size_t place) const { return clause_at_[place]; }

  /// The clause at that place has turned a document down. `movable` has a bit for each clause that may change places.
  void note(std::size_t place, std::uint32_t movable) {
    const std::uint8_t clause = clause_at_[place];
    const std::uint32_t count = ++turned_down_[clause];
    if (count == kEnough) [[unlikely]] forget_half();
    if (place == 0) return;
    const std::uint8_t before = clause_at_[place - 1];
    if (count <= turned_down_[before] || (movable >> clause & movable >> before & 1) == 0) return;
    std::swap(clause_at_[place], clause_at_[place - 1]);
  }

 private:
  static constexpr std::uint32_t kEnough = 1 << 16;  ///< Later documents may be others.
  void forget_half() {
    for (std::uint32_t& count : turned_down_) count /= 2;
  }

  const void* of_ = nullptr;
  std::size_t clauses_ = 0;
  std::array<std::uint8_t, kMost> clause_at_{};
  std::array<std::uint32_t, kMost> turned_down_{};
};

}  // namespace partita::query
