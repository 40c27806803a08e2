// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/fuzz/coverage.h"

#include <array>
#include <cstdint>
#include <cstring>

// A path is told apart by its steps, from one branch to the next, and by how often each is taken (once, twice, a few times,
// often), as AFL does it. Steps are hashed into a table that fits the second-level cache; collisions cost a little blindness.

namespace {

constexpr std::size_t kSteps = 1 << 16;
constinit std::array<std::uint8_t, kSteps> taken{};
constinit std::array<std::uint8_t, kSteps> ever{};
thread_local std::uintptr_t previous = 0;
constinit thread_local bool watching = false;

/// One bit for each of the counts that we tell apart.
std::uint8_t bucket(std::uint8_t count) {
  if (count <= 3) return static_cast<std::uint8_t>(1U << (count - 1));
  return count < 8 ? 8 : count < 16 ? 16 : count < 32 ? 32 : count < 128 ? 64 : 128;
}

}  // namespace

extern "C" void __sanitizer_cov_trace_pc();  // NOLINT: the compiler's name for it.

extern "C" [[gnu::no_sanitize("address")]] void __sanitizer_cov_trace_pc() {  // NOLINT
  if (!watching) return;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  std::uint8_t& count = taken[(here ^ (previous << 1)) % kSteps];
  if (count != 255) ++count;
  previous = here;
}

namespace partita::test {

void coverage_begin() {
  taken.fill(0);
  previous = 0;
  watching = true;
}

bool coverage_grew() {
  watching = false;
  bool grew = false;
  for (std::size_t word = 0; word < kSteps; word += 8) {
    std::uint64_t any;
    std::memcpy(&any, taken.data() + word, sizeof any);
    if (any == 0) continue;
    for (std::size_t step = word; step < word + 8; ++step) {
      if (taken[step] == 0) continue;
      const std::uint8_t seen = bucket(taken[step]);
      grew = grew || (ever[step] & seen) == 0;
      ever[step] |= seen;
    }
  }
  return grew;
}

std::vector<std::uint32_t> coverage_reached() {
  std::vector<std::uint32_t> reached;
  for (std::size_t step = 0; step < kSteps; ++step)
    if (taken[step] != 0) reached.push_back(static_cast<std::uint32_t>(step << 8 | bucket(taken[step])));
  return reached;
}

}  // namespace partita::test
