// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/checksum.h"

#include <array>
#include <boost/crc.hpp>

#if defined(__x86_64__)
#include <nmmintrin.h>

#include <cstring>
#endif

namespace partita::wire {
namespace {

std::uint32_t reflect(std::uint32_t bits) {
  std::uint32_t reflected = 0;
  for (int i = 0; i < 32; ++i) reflected |= (bits >> i & 1) << (31 - i);
  return reflected;
}

}  // namespace

std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc(reflect(~before));
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

#if defined(__x86_64__)
namespace {

/// The instruction takes three cycles, and another may begin in each: so three stretches are gone through at once.
constexpr std::size_t kStretch = 256;

/// What becomes of a register by a stretch of zeros. That is linear in its bits, so it is put together from its bytes.
class Zeros {
 public:
  __attribute__((target("sse4.2"))) Zeros() {
    for (std::size_t place = 0; place < tables_.size(); ++place) {
      for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint64_t crc = byte << (8 * place);
        for (std::size_t i = 0; i < kStretch; i += 8) crc = _mm_crc32_u64(crc, 0);
        tables_[place][byte] = static_cast<std::uint32_t>(crc);
      }
    }
  }
  std::uint32_t behind(std::uint64_t crc) const {
    return tables_[0][crc & 0xff] ^ tables_[1][crc >> 8 & 0xff] ^ tables_[2][crc >> 16 & 0xff] ^ tables_[3][crc >> 24 & 0xff];
  }

 private:
  std::array<std::array<std::uint32_t, 256>, 4> tables_;
};

std::uint64_t word_at(const std::uint8_t* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  static const Zeros kZeros;
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t crc = ~before;
  for (; left >= 3 * kStretch; at += 3 * kStretch, left -= 3 * kStretch) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kStretch; i += 8) {
      crc = _mm_crc32_u64(crc, word_at(at + i));
      second = _mm_crc32_u64(second, word_at(at + kStretch + i));
      third = _mm_crc32_u64(third, word_at(at + 2 * kStretch + i));
    }
    crc = kZeros.behind(kZeros.behind(crc) ^ second) ^ third;
  }
  for (; left >= 8; at += 8, left -= 8) crc = _mm_crc32_u64(crc, word_at(at));
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) tail = _mm_crc32_u8(tail, *at);
  return ~tail;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t before) {
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  return kHasInstruction ? crc32c_sse42(bytes, before) : crc32c_portable(bytes, before);
}
#else
std::uint32_t crc32c(std::span<const std::uint8_t> bytes, std::uint32_t before) { return crc32c_portable(bytes, before); }
#endif

}  // namespace partita::wire
