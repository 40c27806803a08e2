// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace partita::test {

/// Random numbers that are the same on every machine for one seed: the standard's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// From 0 to bound - 1.
  std::uint64_t below(std::uint64_t bound) { return static_cast<std::uint64_t>((Wide{bits()} * bound) >> 64); }
  /// From first to last, both included.
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <class Range>
  const auto& pick(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>(below(std::size(range))));
  }

 private:
  __extension__ using Wide = unsigned __int128;
  std::mt19937_64 engine_;
};

}  // namespace partita::test
