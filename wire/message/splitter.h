// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "wire/message/header.h"

namespace partita::wire {

/// What stands at the beginning of the bytes received so far.
struct Split {
  enum class Kind : std::uint8_t {
    kNeedMore,  ///< `size` more bytes are missing before anything new can be said.
    kFrame,     ///< One whole message of `size` bytes.
    kHttp,      ///< A web browser has come to the wrong port.
    kClose,     ///< The claimed length is impossible: what follows cannot be found.
  };
  Kind kind;
  std::size_t size = 0;
};

/// Judges a claimed length as soon as its four bytes are there, so that a hostile peer is dropped before it has sent a
/// header. Pure: the same bytes give the same answer however they arrived.
Split split(std::span<const std::uint8_t> received, std::uint32_t limit = kMaxMessageSize);

}  // namespace partita::wire
