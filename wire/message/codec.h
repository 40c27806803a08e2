// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>

#include "wire/bson/buffer.h"
#include "wire/message/compress.h"

namespace partita::wire {

/// One compression library behind one shape. Contexts that are dear to make live once per thread, so all of this may be
/// called from any thread.
struct Codec {
  const char* name;
  /// Most that `compressed` bytes of this format can grow to. What claims more lies, and is not given memory.
  std::uint64_t (*largest_output)(std::uint64_t compressed);
  /// Fills `to` exactly and uses up `from` exactly, or returns false. Never writes outside `to`, whatever `from` holds;
  /// what it leaves in `to` when it fails must not be read.
  bool (*inflate)(std::span<const std::uint8_t> from, std::span<std::uint8_t> to);
  /// Appends the compressed form of `from`; false when the library cannot.
  bool (*deflate)(std::span<const std::uint8_t> from, bson::Buffer& to);
};

/// nullptr for a number that no compressor has.
const Codec* codec(std::uint8_t number);

}  // namespace partita::wire
