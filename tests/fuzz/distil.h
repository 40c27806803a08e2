// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace partita::test {

/// An input's size in bytes and what it reaches, as coverage_reached() tells it.
struct Reach {
  std::size_t size = 0;
  std::vector<std::uint32_t> places;
};

/// What a corpus may hold, so that it stays a thing to keep beside the sources.
struct CorpusLimits {
  std::size_t inputs = 50;
  std::size_t bytes = 40'000;
};

/// Positions of the few inputs that reach the most together, best first: again and again the one that adds the most new
/// places for its size, until nothing is new or the limits are met. Deterministic.
std::vector<std::size_t> distil(const std::vector<Reach>& inputs, CorpusLimits limits = {});

}  // namespace partita::test
