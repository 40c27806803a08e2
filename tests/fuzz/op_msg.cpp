// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes behind an OP_MSG header: either refused, or every view lies inside the message and can be walked to its
// end, and the same content with a checksum is taken as well.
#include "wire/message/op_msg.h"

#include <cstdlib>
#include <vector>

#include "tests/support/frames.h"

namespace {

using partita::test::Bytes;
using namespace partita;

void require(bool holds) {
  if (!holds) std::abort();
}

bool inside(const Bytes& frame, std::span<const std::uint8_t> part) {
  return part.data() >= frame.data() && part.data() + part.size() <= frame.data() + frame.size();
}

/// Touches every byte that a command could look at.
std::size_t walk(bson::View document) {
  std::size_t sum = 0;
  for (const bson::Field& field : document) sum += field.name.size() + field.value.payload_size();
  return sum;
}

void check_taken(const Bytes& frame, const wire::Request& request) {
  require(inside(frame, request.body.bytes()));
  walk(request.body);
  for (const wire::Sequence& one : request.sequences()) {
    require(inside(frame, one.bytes));
    std::uint32_t count = 0;
    for (const bson::View document : one) {
      require(inside(frame, document.bytes()));
      walk(document);
      ++count;
    }
    require(count == one.count);
    require(!request.body.has(one.identifier) && request.sequence(one.identifier) == &one);
  }
}

void check_with_checksum(const Bytes& frame) {
  const auto flags = bson::load<std::uint32_t>(frame.data() + wire::kHeaderSize);
  if ((flags & wire::kChecksumPresent) != 0) return;
  const Bytes sections(frame.begin() + wire::kHeaderSize + 4, frame.end());
  wire::Request request;
  require(wire::parse_op_msg(test::op_msg_checked(flags, sections), request).ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes frame = test::frame(Bytes(data, data + size));
  wire::Request request;
  if (!wire::parse_op_msg(frame, request).ok()) return 0;
  check_taken(frame, request);
  check_with_checksum(frame);
  return 0;
}
