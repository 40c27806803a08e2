// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/writer.h"
#include "wire/message/request.h"

namespace partita::wire {

/// Framing a reply around a body that is written in place:
///
///     const std::size_t start = begin_reply(request, out);
///     { bson::Writer body(out); ... }
///     end_reply(request, out, start, {.id = next_id()}, scratch);
///
/// begin_reply() reserves the header at the end of `out`; end_reply() fills it in, adds the checksum and compresses,
/// as the request wants it. A client that asked for no reply gets none: whatever was written is cut off again.
std::size_t begin_reply(const Request& request, bson::Buffer& out);

struct ReplyEnd {
  std::int32_t id = 0;
  bool more_to_come = false;  ///< Another reply to the same request follows (exhaust).
};
void end_reply(const Request& request, bson::Buffer& out, std::size_t start, ReplyEnd end, bson::Buffer& scratch);

/// The fields that tell a client what went wrong: ok, errmsg, code, codeName and what the Status carries beside them.
void add_error(bson::Writer& body, const Status& status);

/// A whole reply that says no more than that.
void write_refusal(const Request& request, const Status& why, bson::Buffer& out, std::int32_t id,
                   bson::Buffer& scratch);

}  // namespace partita::wire
