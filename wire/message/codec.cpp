// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/codec.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cstring>
#include <memory>

namespace partita::wire {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Space = std::span<std::uint8_t>;

const char* chars(Bytes bytes) { return reinterpret_cast<const char*>(bytes.data()); }

namespace noop {

std::uint64_t largest_output(std::uint64_t compressed) { return compressed; }

bool inflate(Bytes from, Space to) {
  if (from.size() != to.size()) return false;
  std::memcpy(to.data(), from.data(), from.size());
  return true;
}

bool deflate(Bytes from, bson::Buffer& to) {
  to.append(from);
  return true;
}

}  // namespace noop

namespace snappy_codec {

/// The best a snappy element does is to name 64 earlier bytes with three.
std::uint64_t largest_output(std::uint64_t compressed) { return compressed * 64 / 3 + 1; }

bool inflate(Bytes from, Space to) {
  std::size_t claimed = 0;  // By snappy's own header, which its decoder would trust about the space.
  if (!snappy::GetUncompressedLength(chars(from), from.size(), &claimed) || claimed != to.size()) return false;
  return snappy::RawUncompress(chars(from), from.size(), reinterpret_cast<char*>(to.data()));
}

bool deflate(Bytes from, bson::Buffer& to) {
  std::size_t written = 0;
  auto* space = reinterpret_cast<char*>(to.prepare(snappy::MaxCompressedLength(from.size())));
  snappy::RawCompress(chars(from), from.size(), space, &written);
  to.commit(written);
  return true;
}

}  // namespace snappy_codec

namespace zlib_codec {

/// DEFLATE spends at least one bit on a copy's length and one on its distance, and a copy gives 258 bytes at most.
std::uint64_t largest_output(std::uint64_t compressed) { return compressed * 4 * 258 + 1; }

/// A deflate state is a quarter of a megabyte that zlib clears when it is made: once per thread.
class Deflater {
 public:
  Deflater() : ready_(deflateInit(&stream_, Z_DEFAULT_COMPRESSION) == Z_OK) {}
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() {
    if (ready_) deflateEnd(&stream_);
  }
  bool run(Bytes from, bson::Buffer& to) {
    if (!ready_ || deflateReset(&stream_) != Z_OK) return false;
    const uLong bound = deflateBound(&stream_, from.size());
    stream_.next_in = const_cast<Bytef*>(from.data());  // zlib's type; it only reads.
    stream_.avail_in = static_cast<uInt>(from.size());
    stream_.next_out = to.prepare(bound);
    stream_.avail_out = static_cast<uInt>(bound);
    if (::deflate(&stream_, Z_FINISH) != Z_STREAM_END) return false;
    to.commit(stream_.total_out);
    return true;
  }

 private:
  z_stream stream_{};
  bool ready_;
};

bool inflate(Bytes from, Space to) {
  uLong used = from.size();
  uLongf made = to.size();
  return uncompress2(to.data(), &made, from.data(), &used) == Z_OK && used == from.size() && made == to.size();
}

bool deflate(Bytes from, bson::Buffer& to) {
  thread_local Deflater deflater;
  return deflater.run(from, to);
}

}  // namespace zlib_codec

namespace zstd_codec {

/// A block gives at most 128 KiB and takes at least four bytes: three of header and the one that is repeated.
std::uint64_t largest_output(std::uint64_t compressed) {
  constexpr std::uint64_t kBlock = 128 * 1024;
  return (compressed / 4 + 1) * kBlock;
}

struct Free {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

/// In one go, from memory to memory: zstd then needs no window of its own, whose size the sender would choose.
bool inflate(Bytes from, Space to) {
  thread_local const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  if (context == nullptr) return false;
  return ZSTD_decompressDCtx(context.get(), to.data(), to.size(), from.data(), from.size()) == to.size();
}

bool deflate(Bytes from, bson::Buffer& to) {
  thread_local const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  if (context == nullptr) return false;
  const std::size_t bound = ZSTD_compressBound(from.size());
  const std::size_t written =
      ZSTD_compressCCtx(context.get(), to.prepare(bound), bound, from.data(), from.size(), ZSTD_CLEVEL_DEFAULT);
  if (ZSTD_isError(written)) return false;
  to.commit(written);
  return true;
}

}  // namespace zstd_codec

constexpr std::array kCodecs{
    Codec{"noop", noop::largest_output, noop::inflate, noop::deflate},
    Codec{"snappy", snappy_codec::largest_output, snappy_codec::inflate, snappy_codec::deflate},
    Codec{"zlib", zlib_codec::largest_output, zlib_codec::inflate, zlib_codec::deflate},
    Codec{"zstd", zstd_codec::largest_output, zstd_codec::inflate, zstd_codec::deflate},
};

}  // namespace

const Codec* codec(std::uint8_t number) { return number < kCodecs.size() ? &kCodecs[number] : nullptr; }

}  // namespace partita::wire
