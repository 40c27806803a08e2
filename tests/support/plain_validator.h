// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace partita::test {

/// The BSON specification written down as plainly as can be, to hold bson::validate() against: every read is bounds
/// checked on its own, nested documents wait in a list, text is decoded and encoded again. Slow, and no code in common.
bool plainly_valid(std::span<const std::uint8_t> bytes, int max_depth);
bool plainly_utf8(std::span<const std::uint8_t> text);

}  // namespace partita::test
