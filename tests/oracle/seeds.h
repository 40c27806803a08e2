// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <random>

/// Where the random suites of this folder begin. A new place in every run, which Oracle prints; PARTITA_SEED begins where
/// another run began, and PARTITA_SEEDS asks for so many seeds instead of a few.
namespace partita::test {

inline std::uint64_t first_seed() {
  static const char* const given = std::getenv("PARTITA_SEED");
  static const std::uint64_t first = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  return first;
}

/// So many in a row.
inline auto seeds(std::uint64_t count) {
  if (const char* const wanted = std::getenv("PARTITA_SEEDS")) count = std::strtoull(wanted, nullptr, 10);
  return testing::Range<std::uint64_t>(first_seed(), first_seed() + count);
}

}  // namespace partita::test
