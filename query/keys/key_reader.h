// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace partita::query::keys {

/// Walks over the bytes of a key, complemented where the field is a descending one. Bytes that are not there read as
/// zero and mark the reader failed, so that callers check once at the end; nothing is read out of bounds.
class KeyReader {
 public:
  KeyReader() = default;
  KeyReader(std::span<const std::uint8_t> key, std::uint8_t mask)
      : at_(key.data()), end_(key.data() + key.size()), mask_(mask) {}

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const std::uint8_t* at() const { return at_; }
  std::uint8_t mask() const { return mask_; }
  /// From here on every byte is complemented once more: how negative numbers are kept.
  void flip() { mask_ ^= 0xFF; }

  std::uint8_t peek() {
    if (at_ == end_) return out_of_bytes();
    return *at_ ^ mask_;
  }
  std::uint8_t take() {
    if (at_ == end_) return out_of_bytes();
    return *at_++ ^ mask_;
  }
  /// `count` bytes, at most eight, the first one being the most significant.
  std::uint64_t take_big_endian(std::size_t count) {
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits = bits << 8 | take();
    return bits;
  }
  /// The next `count` bytes as they lie there (still complemented), or nullptr when there are not so many.
  const std::uint8_t* skip(std::size_t count) {
    if (count > left()) {
      out_of_bytes();
      return nullptr;
    }
    at_ += count;
    return at_ - count;
  }

 private:
  std::uint8_t out_of_bytes() {
    failed_ = true;
    at_ = end_;
    return 0;
  }
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::uint8_t mask_ = 0;
  bool failed_ = false;
};

/// The classes with several leads, which stand before the body even where the class has been named already.
constexpr bool is_number_lead(std::uint8_t lead) { return lead >> 4 == 0x1; }
constexpr bool is_bool_lead(std::uint8_t lead) { return lead == 0x38 || lead == 0x39; }

}  // namespace partita::query::keys
