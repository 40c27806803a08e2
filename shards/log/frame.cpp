// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/frame.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "wire/bson/payload.h"

namespace partita::shards {
namespace {

using bson::load;
using bson::store;

constexpr std::uint64_t kFileMagic = 0x4C4946474F4C5450;  // "PTLOGFIL"
constexpr std::uint32_t kFileVersion = 1;

constexpr std::size_t kTagOffset = 24;
constexpr std::size_t kBootOffset = 64;
constexpr std::size_t kSizeOffset = 72;
constexpr std::size_t kCheckOffset = 120;

std::uint64_t tag_of(const std::uint8_t* header, Place at, std::uint64_t salt) {
  std::array<std::uint8_t, kTagOffset + sizeof at> bytes;
  std::memcpy(bytes.data(), header, kTagOffset);
  store(bytes.data() + kTagOffset, at);
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), salt);
}

}  // namespace

Frame::Header Frame::encode(Place at, std::uint64_t salt) const {
  Header header;
  store(header.data(), size);
  store(header.data() + 4, room);
  store(header.data() + 8, settled);
  store(header.data() + 16, synced);
  store(header.data() + kTagOffset, tag_of(header.data(), at, salt));
  return header;
}

std::optional<Frame> Frame::decode(Bytes bytes, Place at, std::uint64_t salt, std::uint64_t left) {
  if (bytes.size() < kHeaderSize) return std::nullopt;
  const Frame frame{load<std::uint32_t>(bytes.data()), load<std::uint32_t>(bytes.data() + 4), load<std::uint64_t>(bytes.data() + 8),
                    load<std::uint64_t>(bytes.data() + 16)};
  // The cheap question first: this is asked of every eighth byte of a hole.
  if (frame.room < kHeaderSize || frame.room % kAlignment != 0 || frame.room > left) return std::nullopt;
  if (frame.size > frame.room - kHeaderSize) return std::nullopt;
  if (load<std::uint64_t>(bytes.data() + kTagOffset) != tag_of(bytes.data(), at, salt)) return std::nullopt;
  return frame;
}

FileHeader::Encoded FileHeader::encode() const {
  Encoded bytes{};
  store(bytes.data(), kFileMagic);
  store(bytes.data() + 8, kFileVersion);
  store(bytes.data() + 16, base);
  store(bytes.data() + 24, salt);
  for (std::size_t i = 0; i < kLogs; ++i) {
    store(bytes.data() + 32 + 8 * i, next[i]);
    store(bytes.data() + 48 + 8 * i, epochs[i]);
  }
  store(bytes.data() + kBootOffset, boot);
  store(bytes.data() + kSizeOffset, size);
  store(bytes.data() + kCheckOffset, std::uint64_t{XXH3_64bits(bytes.data(), kCheckOffset)});
  return bytes;
}

Result<std::optional<FileHeader>> FileHeader::decode(Bytes bytes) {
  const auto none = std::optional<FileHeader>();
  if (bytes.size() < kSize || load<std::uint64_t>(bytes.data()) != kFileMagic) return none;
  if (load<std::uint64_t>(bytes.data() + kCheckOffset) != XXH3_64bits(bytes.data(), kCheckOffset)) return none;
  const auto version = load<std::uint32_t>(bytes.data() + 8);
  if (version != kFileVersion) return error(Code::FileOpenFailed, "the log has format ", version, ", and this version reads ", kFileVersion);
  FileHeader header{.base = load<std::uint64_t>(bytes.data() + 16), .salt = load<std::uint64_t>(bytes.data() + 24)};
  for (std::size_t i = 0; i < kLogs; ++i) {
    header.next[i] = load<std::uint64_t>(bytes.data() + 32 + 8 * i);
    header.epochs[i] = load<std::uint64_t>(bytes.data() + 48 + 8 * i);
  }
  header.boot = load<std::uint64_t>(bytes.data() + kBootOffset);
  header.size = load<std::uint64_t>(bytes.data() + kSizeOffset);
  return std::optional(header);
}

}  // namespace partita::shards
