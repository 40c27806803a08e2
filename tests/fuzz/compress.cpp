// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as the payload of OP_COMPRESSED, and any bytes compressed and restored. The first byte chooses which, and
// the compressor.
#include "wire/message/compress.h"

#include <algorithm>
#include <cstdlib>

#include "tests/support/frames.h"
#include "wire/message/codec.h"

namespace {

using partita::test::Bytes;
using namespace partita;

constexpr wire::CompressorSet kAll{wire::Compressor::kNoop, wire::Compressor::kSnappy, wire::Compressor::kZlib,
                                   wire::Compressor::kZstd};
constexpr std::uint32_t kLimit = 1 << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Payloads that nobody compressed, under a claim that they bring along.
void inflate_anything(std::uint8_t compressor, const Bytes& input) {
  if (input.size() < 4) return;
  const auto claim = bson::load<std::int32_t>(input.data());
  const Bytes frame = test::op_compressed(compressor, Bytes(input.begin() + 4, input.end()), claim);
  bson::Buffer out;
  const bool taken = wire::inflate(frame, kAll, kLimit, out).ok();
  require(out.size() == (taken ? wire::kHeaderSize + static_cast<std::size_t>(claim) : 0));
  require(out.capacity() <= kLimit + 256);
}

void there_and_back(wire::Compressor compressor, const Bytes& input) {
  const Bytes message = test::frame(input);
  bson::Buffer stream, scratch, out;
  stream.append(message);
  wire::deflate(compressor, stream, 0, scratch);
  if (wire::Header::read(stream.data()).opcode == wire::OpCode::kMsg) return;  // It would not have become shorter.
  require(stream.size() < message.size());
  require(wire::inflate(stream.bytes(), kAll, wire::kMaxMessageSize, out).ok());
  require(out.size() == message.size() && std::equal(message.begin(), message.end(), out.data()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr std::uint8_t kThereAndBack = 0x80;
  const std::uint8_t choice = data[0];
  const Bytes input(data + 1, data + size);
  if ((choice & kThereAndBack) != 0) {
    there_and_back(wire::Compressor(choice & 3), input);
  } else {
    inflate_anything(choice & 7, input);
  }
  return 0;
}
