// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace partita::test {

/// Which code an input reaches. The compiler calls in at every branch when the tree is built with PARTITA_FUZZ_COVERAGE
/// (the `fuzz` preset); without it nothing is ever new, and fuzzing is blind. One thread's doing only.
void coverage_begin();
/// Whether anything was reached since coverage_begin() that no input before had reached.
bool coverage_grew();
/// What the last input reached, after coverage_grew(): a number for each step and how often it was taken.
std::vector<std::uint32_t> coverage_reached();

}  // namespace partita::test
