// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/bson/buffer.h"

namespace partita::query::keys {

/// What the key encoding leaves out because it does not order: whether a 1 was an int, a long, a double or a decimal,
/// how many zeros stood behind a decimal, whether a text was a symbol. A stream of bits in the order of the encoded
/// values, written by encode() and read by Decoder. The commonest answer is always zero bits, and zero bytes at the end
/// are not kept, so that an index over integers, strings and doubles usually carries none at all.
class TypeBits {
 public:
  void put(unsigned bits, int count) {
    for (; count > 0; --count, bits >>= 1, ++written_) {
      if ((bits & 1) == 0) continue;
      const std::size_t byte = written_ / 8;
      while (bytes_.size() <= byte) bytes_.push(0);
      bytes_.data()[byte] |= static_cast<std::uint8_t>(1U << written_ % 8);
    }
  }
  void clear() {
    bytes_.clear();
    written_ = 0;
  }
  std::span<const std::uint8_t> bytes() const { return bytes_.bytes(); }

 private:
  bson::Buffer bytes_;
  std::size_t written_ = 0;
};

/// Reads them again; behind the end there are only zeros.
class TypeBitsReader {
 public:
  TypeBitsReader() = default;
  explicit TypeBitsReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  unsigned take(int count) {
    unsigned bits = 0;
    for (int i = 0; i < count; ++i, ++read_) {
      const std::size_t byte = read_ / 8;
      if (byte < bytes_.size()) bits |= (bytes_[byte] >> read_ % 8 & 1U) << i;
    }
    return bits;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t read_ = 0;
};

}  // namespace partita::query::keys
