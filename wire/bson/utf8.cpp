// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "wire/bson/validate.h"

namespace partita::bson {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

/// How many bytes at the start are surely ASCII: whole words at a time, which is all there is to most texts.
std::size_t ascii_prefix(const std::uint8_t* text, std::size_t size) {
  std::size_t at = 0;
  for (; at + 32 <= size; at += 32) {
    const std::uint64_t any = load<std::uint64_t>(text + at) | load<std::uint64_t>(text + at + 8) |
                              load<std::uint64_t>(text + at + 16) | load<std::uint64_t>(text + at + 24);
    if ((any & kHighBits) != 0) return at;
  }
  for (; at + 8 <= size; at += 8) {
    if ((load<std::uint64_t>(text + at) & kHighBits) != 0) return at;
  }
  while (at < size && text[at] < 0x80) ++at;
  return at;
}

/// What may follow a lead byte: how many bytes, and the range of the first of them, which is where overlong forms,
/// surrogates and numbers above U+10FFFF are kept out (the Unicode standard's table 3-7).
struct Sequence {
  std::uint8_t following;
  std::uint8_t low;
  std::uint8_t high;
};

constexpr Sequence sequence_of(std::uint8_t lead) {
  if (lead >= 0xC2 && lead <= 0xDF) return {1, 0x80, 0xBF};
  if (lead == 0xE0) return {2, 0xA0, 0xBF};
  if (lead == 0xED) return {2, 0x80, 0x9F};
  if (lead >= 0xE1 && lead <= 0xEF) return {2, 0x80, 0xBF};
  if (lead == 0xF0) return {3, 0x90, 0xBF};
  if (lead >= 0xF1 && lead <= 0xF3) return {3, 0x80, 0xBF};
  if (lead == 0xF4) return {3, 0x80, 0x8F};
  return {0, 0, 0};
}

/// The length of the well-formed sequence at `text`, or 0.
std::size_t sequence_length(const std::uint8_t* text, std::size_t room) {
  if (*text < 0x80) return 1;
  const Sequence expected = sequence_of(*text);
  if (expected.following == 0 || room <= expected.following) return 0;
  if (text[1] < expected.low || text[1] > expected.high) return 0;
  for (std::size_t i = 2; i <= expected.following; ++i) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  return expected.following + 1;
}

}  // namespace

bool valid_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  std::size_t at = ascii_prefix(bytes, text.size());
  while (at < text.size()) {
    const std::size_t length = sequence_length(bytes + at, text.size() - at);
    if (length == 0) return false;
    at += length;
    // Text in another script stays in the loop; a lone accent goes back to whole words.
    if (bytes[at - 1] < 0x80) at += ascii_prefix(bytes + at, text.size() - at);
  }
  return true;
}

}  // namespace partita::bson
