// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "wire/message/header.h"
#include "wire/message/request.h"

namespace partita::wire {

/// Reads a whole OP_MSG frame (header included) in place, and validates every document of it, once. Nothing is copied
/// and, unless it fails, nothing allocated.
///
/// `out` has its flags set also when this fails, so that the refusal can be framed as the client wants it. A Status
/// with which breaks_framing() agrees ends the connection; any other is the answer, and the connection goes on.
Status parse_op_msg(std::span<const std::uint8_t> frame, Request& out);

/// True for failures after which the bytes that follow cannot be trusted to be messages.
bool breaks_framing(Code code);

}  // namespace partita::wire
