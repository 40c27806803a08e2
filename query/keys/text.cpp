// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/text.h"

#include <algorithm>

#include "wire/bson/value.h"

namespace partita::query::keys {
namespace {

constexpr std::uint8_t kEscape = 0x01;
constexpr std::uint8_t kLongLength = 0xFF;

/// Is there a 0x00 or 0x01 among the eight bytes?
bool has_low_byte(std::uint64_t word) {
  constexpr std::uint64_t kTwos = 0x0202020202020202;
  constexpr std::uint64_t kTops = 0x8080808080808080;
  return ((word - kTwos) & ~word & kTops) != 0;
}

bool has_low_byte(std::string_view text) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(text.data());
  const std::uint8_t* const end = at + text.size();
  for (; end - at >= 8; at += 8)
    if (has_low_byte(bson::load<std::uint64_t>(at))) return true;
  for (; at != end; ++at)
    if (*at <= kEscape) return true;
  return false;
}

void put_escaped(std::string_view text, bson::Buffer& out) {
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte <= kEscape) {
      out.push(kEscape);
      out.push(static_cast<std::uint8_t>(byte + 1));
    } else {
      out.push(byte);
    }
  }
}

}  // namespace

void put_text(std::string_view text, bson::Buffer& out) {
  if (has_low_byte(text)) {
    put_escaped(text, out);
  } else {
    out.append(text);
  }
  out.push(0);
}

/// Moved apart from the end on, each byte to where it stands once those before it that take two are written.
void end_text(std::size_t begin, bson::Buffer& out) {
  const auto is_low = [](std::uint8_t byte) { return byte <= kEscape; };
  std::size_t more = static_cast<std::size_t>(std::ranges::count_if(out.bytes().subspan(begin), is_low));
  out.prepare(more + 1);
  const std::size_t end = out.size();
  out.commit(more + 1);
  std::uint8_t* const bytes = out.data();
  bytes[end + more] = 0;
  for (std::size_t at = end; more > 0;) {
    const std::uint8_t byte = bytes[--at];
    if (is_low(byte)) {
      bytes[at + more] = static_cast<std::uint8_t>(byte + 1);
      bytes[at + --more] = kEscape;
    } else {
      bytes[at + more] = byte;
    }
  }
}

void take_text(KeyReader& key, bson::Buffer& out) {
  while (const std::uint8_t byte = key.take()) {
    if (byte != kEscape) {
      out.push(byte);
      continue;
    }
    const std::uint8_t escaped = key.take();
    if (escaped != 1 && escaped != 2) return key.fail();
    out.push(static_cast<std::uint8_t>(escaped - 1));
  }
}

void take_name(KeyReader& key, bson::Buffer& out) {
  while (const std::uint8_t byte = key.take()) out.push(byte);
}

void skip_text(KeyReader& key) {
  if (key.left() == 0) return key.fail();
  const auto* end = static_cast<const std::uint8_t*>(std::memchr(key.at(), key.mask(), key.left()));
  if (end == nullptr) return key.fail();
  key.skip(static_cast<std::size_t>(end - key.at()) + 1);
}

void put_length(std::uint32_t length, bson::Buffer& out) {
  if (length < kLongLength) return out.push(static_cast<std::uint8_t>(length));
  out.push(kLongLength);
  out.put(__builtin_bswap32(length));
}

std::uint32_t take_length(KeyReader& key) {
  const std::uint8_t first = key.take();
  return first < kLongLength ? first : static_cast<std::uint32_t>(key.take_big_endian(4));
}

void take_bytes(KeyReader& key, std::size_t count, bson::Buffer& out) {
  const std::uint8_t* bytes = key.skip(count);
  if (bytes == nullptr) return;
  std::uint8_t* to = out.prepare(count);
  for (std::size_t i = 0; i < count; ++i) to[i] = bytes[i] ^ key.mask();
  out.commit(count);
}

void put_big_endian(std::uint64_t bits, bson::Buffer& out) { out.put(__builtin_bswap64(bits)); }

}  // namespace partita::query::keys
