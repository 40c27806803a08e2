// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

namespace partita::wire {

/// CRC-32C (Castagnoli), as OP_MSG carries it, over the whole message, header included, up to the checksum itself; and as
/// the log does. `before` is that of the bytes in front of these, if they go on.
/// Uses the processor's instruction where there is one.
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

/// The same without that instruction: for other processors, and for the test that compares the two.
std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

}  // namespace partita::wire
