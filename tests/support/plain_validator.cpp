// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/plain_validator.h"

#include <algorithm>
#include <string>
#include <vector>

namespace partita::test {
namespace {

using Bytes = std::span<const std::uint8_t>;

struct Invalid {};

/// Takes bytes from the front; whoever asks for more than there are gets an exception.
class Reader {
 public:
  explicit Reader(Bytes bytes) : left_(bytes) {}
  bool done() const { return left_.empty(); }
  Bytes take(std::uint64_t count) {
    if (count > left_.size()) throw Invalid();
    const Bytes taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  std::uint8_t byte() { return take(1)[0]; }
  std::uint64_t length() {
    const Bytes b = take(4);
    const std::uint64_t value = b[0] + 256ULL * b[1] + 65536ULL * b[2] + 16777216ULL * b[3];
    if (value > 0x7FFFFFFF) throw Invalid();
    return value;
  }
  Bytes cstring() {
    const auto zero = std::find(left_.begin(), left_.end(), 0);
    const Bytes text = take(static_cast<std::size_t>(zero - left_.begin()));
    if (byte() != 0) throw Invalid();
    if (!plainly_utf8(text)) throw Invalid();
    return text;
  }
  void string() {
    const std::uint64_t size = length();
    if (size == 0) throw Invalid();
    if (!plainly_utf8(take(size - 1))) throw Invalid();
    if (byte() != 0) throw Invalid();
  }
  /// A document inside: only its extent is found here.
  Bytes document() {
    const std::uint64_t size = Reader(left_).length();
    if (size < 5) throw Invalid();
    return take(size);
  }

 private:
  Bytes left_;
};

struct Waiting {
  Bytes bytes;
  int level;
};

void check_value(std::uint8_t type, Reader& reader, int level, std::vector<Waiting>& waiting) {
  switch (type) {
    case 0x06:
    case 0x0A:
    case 0x7F:
    case 0xFF:
      return;
    case 0x01:
    case 0x09:
    case 0x11:
    case 0x12:
      reader.take(8);
      return;
    case 0x10:
      reader.take(4);
      return;
    case 0x13:
      reader.take(16);
      return;
    case 0x07:
      reader.take(12);
      return;
    case 0x08:
      if (reader.byte() > 1) throw Invalid();
      return;
    case 0x02:
    case 0x0D:
    case 0x0E:
      return reader.string();
    case 0x03:
    case 0x04:
      waiting.push_back({reader.document(), level + 1});
      return;
    case 0x05: {
      const std::uint64_t size = reader.length();
      const std::uint8_t subtype = reader.byte();
      Reader inner(reader.take(size));
      if (subtype == 2 && inner.length() + 4 != size) throw Invalid();
      return;
    }
    case 0x0B:
      reader.cstring();
      reader.cstring();
      return;
    case 0x0C:
      reader.string();
      reader.take(12);
      return;
    case 0x0F: {
      const std::uint64_t size = reader.length();
      if (size < 4) throw Invalid();
      Reader inner(reader.take(size - 4));
      inner.string();
      waiting.push_back({inner.document(), level + 1});
      if (!inner.done()) throw Invalid();
      return;
    }
    default:
      throw Invalid();
  }
}

void check_document(const Waiting& document, std::vector<Waiting>& waiting) {
  Reader whole(document.bytes);
  if (whole.length() != document.bytes.size()) throw Invalid();
  Reader elements(whole.take(document.bytes.size() - 5));
  if (whole.byte() != 0) throw Invalid();
  while (!elements.done()) {
    const std::uint8_t type = elements.byte();
    elements.cstring();
    check_value(type, elements, document.level, waiting);
  }
}

std::string encoded(std::uint32_t code_point) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const auto tail = [&](int shift) { return byte(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) return {byte(code_point)};
  if (code_point < 0x800) return {byte(0xC0 | (code_point >> 6)), tail(0)};
  if (code_point < 0x10000) return {byte(0xE0 | (code_point >> 12)), tail(6), tail(0)};
  return {byte(0xF0 | (code_point >> 18)), tail(12), tail(6), tail(0)};
}

}  // namespace

bool plainly_utf8(Bytes text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::uint8_t lead = text[at];
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (at + length > text.size()) return false;
    std::uint32_t code_point = length == 1 ? lead : lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) code_point = code_point << 6 | (text[at + i] & 0x3F);
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return false;
    const std::string again = encoded(code_point);
    if (!std::equal(again.begin(), again.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                    text.begin() + static_cast<std::ptrdiff_t>(at + length),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }))
      return false;
    at += length;
  }
  return true;
}

bool plainly_valid(Bytes bytes, int max_depth) {
  try {
    std::vector<Waiting> waiting{{Reader(bytes).document(), 1}};
    while (!waiting.empty()) {
      const Waiting next = waiting.back();
      waiting.pop_back();
      if (next.level > max_depth) return false;
      check_document(next, waiting);
    }
    return true;
  } catch (const Invalid&) {
    return false;
  }
}

}  // namespace partita::test
