// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/message/checksum.h"

#include <boost/crc.hpp>

#if defined(__x86_64__)
#include <nmmintrin.h>

#include <cstring>
#endif

namespace partita::wire {

std::uint32_t crc32c_portable(std::span<const std::uint8_t> bytes) {
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

#if defined(__x86_64__)
namespace {

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::uint8_t> bytes) {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t crc = 0xFFFFFFFF;
  for (; left >= 8; at += 8, left -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    crc = _mm_crc32_u64(crc, word);
  }
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left > 0; ++at, --left) tail = _mm_crc32_u8(tail, *at);
  return ~tail;
}

}  // namespace

std::uint32_t crc32c(std::span<const std::uint8_t> bytes) {
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  return kHasInstruction ? crc32c_sse42(bytes) : crc32c_portable(bytes);
}
#else
std::uint32_t crc32c(std::span<const std::uint8_t> bytes) { return crc32c_portable(bytes); }
#endif

}  // namespace partita::wire
