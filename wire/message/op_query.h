// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "wire/message/request.h"

namespace partita::wire {

/// Reads a whole OP_QUERY frame (header included). What is left of that opcode is the greeting: hello and isMaster on
/// "<database>.$cmd", by which a client finds out that it may use OP_MSG. Everything else fails with the text that
/// tells the client to upgrade. `out` knows how to frame that answer; breaks_framing() as for OP_MSG.
Status parse_op_query(std::span<const std::uint8_t> frame, Request& out);

/// OP_GET_MORE: always fails, with the answer that mongod gives.
Status refuse_get_more(Request& out);

}  // namespace partita::wire
