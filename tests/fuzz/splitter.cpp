// SPDX-License-Identifier: GPL-3.0-or-later
// A stream of any bytes, cut anywhere, gives the same frames as the stream in one piece, and memory stays near what has
// arrived. The first byte chooses how the stream is cut.
#include "wire/message/splitter.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "wire/message/receive_buffer.h"

namespace {

using partita::wire::ReceiveBuffer;
using partita::wire::Split;
using Bytes = std::span<const std::uint8_t>;

struct Seen {
  std::vector<std::size_t> frames;
  bool closed = false;
  bool operator==(const Seen&) const = default;
};

void require(bool holds) {
  if (!holds) std::abort();
}

/// Takes every frame that is complete; returns how much they take.
std::size_t take(Bytes received, Seen& seen) {
  std::size_t used = 0;
  while (!seen.closed) {
    const Split found = partita::wire::split(received.subspan(used));
    if (found.kind == Split::Kind::kNeedMore) {
      require(found.size > 0);
      break;
    }
    seen.closed = found.kind != Split::Kind::kFrame;
    if (seen.closed) break;
    require(found.size >= 16 && found.size <= received.size() - used);
    seen.frames.push_back(found.size);
    used += found.size;
  }
  return used;
}

Seen in_pieces(Bytes stream, unsigned seed) {
  Seen seen;
  ReceiveBuffer buffer;
  while (!stream.empty() && !seen.closed) {
    seed = seed * 1664525 + 1013904223;
    const auto room = buffer.prepare(1 + seed % 100'000);
    require(!room.empty());
    const std::size_t now = std::min({room.size(), stream.size(), std::size_t{1} + (seed >> 16) % 64});
    std::copy_n(stream.begin(), now, room.begin());
    buffer.commit(now);
    stream = stream.subspan(now);
    require(buffer.capacity() <= std::max(ReceiveBuffer::kInitial, 3 * buffer.bytes().size()) ||
            buffer.capacity() <= ReceiveBuffer::kKeep * 2);
    if (const std::size_t used = take(buffer.bytes(), seen); used > 0) buffer.consume(used);
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes stream(data + 1, size - 1);
  Seen whole;
  take(stream, whole);
  require(in_pieces(stream, data[0]) == whole);
  return 0;
}
