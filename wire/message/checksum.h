// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace partita::wire {

/// CRC-32C (Castagnoli), as OP_MSG carries it: over the whole message, header included, up to the checksum itself.
/// Uses the processor's instruction where there is one.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes);

/// The same without that instruction: for other processors, and for the test that compares the two.
std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes);

}  // namespace partita::wire
