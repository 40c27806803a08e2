// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>

#include "wire/bson/value.h"

namespace partita::wire {

/// What every message begins with, all little-endian:
///
///      0          4            8            12        16
///     +----------+------------+------------+---------+--------
///     | length   | request id | response to| opcode  | payload
///     +----------+------------+------------+---------+--------
///
/// `length` counts the header too.
constexpr std::size_t kHeaderSize = 16;
constexpr std::uint32_t kMaxMessageSize = 48'000'000;

enum class OpCode : std::int32_t {
  kReply = 1,
  kQuery = 2004,
  kGetMore = 2005,
  kCompressed = 2012,
  kMsg = 2013,
};

struct Header {
  std::uint32_t length = 0;  ///< A negative claim reads as one above every limit.
  std::int32_t request_id = 0;
  std::int32_t response_to = 0;
  OpCode opcode = OpCode::kMsg;

  static Header read(const std::uint8_t* bytes) {
    return {bson::load<std::uint32_t>(bytes), bson::load<std::int32_t>(bytes + 4), bson::load<std::int32_t>(bytes + 8),
            static_cast<OpCode>(bson::load<std::int32_t>(bytes + 12))};
  }
  void write(std::uint8_t* bytes) const {
    bson::store(bytes, length);
    bson::store(bytes + 4, request_id);
    bson::store(bytes + 8, response_to);
    bson::store(bytes + 12, static_cast<std::int32_t>(opcode));
  }
};

/// The first four bytes of OP_MSG's payload. A set bit that is unknown and below 16 breaks the connection; above, it is
/// ignored.
enum MsgFlag : std::uint32_t {
  kChecksumPresent = 1U << 0,
  kMoreToCome = 1U << 1,
  kExhaustAllowed = 1U << 16,
};
constexpr std::uint32_t kRequiredFlags = 0xFFFF;
constexpr std::size_t kChecksumSize = 4;

}  // namespace partita::wire
