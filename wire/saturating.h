// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <limits>

namespace partita {

/// Sums of what clients send, brought to the nearest number there is instead of overflowing.
template <std::signed_integral Number>
constexpr Number saturating_add(Number a, Number b) {
  Number sum{};
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<Number>::max() : std::numeric_limits<Number>::min();
}

}  // namespace partita
