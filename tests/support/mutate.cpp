// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support/random_bson.h"

namespace partita::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Byte = std::uint8_t;

void flip_bit(Bytes& bytes, Random& random) {
  bytes[random.below(bytes.size())] ^= static_cast<Byte>(1U << random.below(8));
}

void set_byte(Bytes& bytes, Random& random) {
  constexpr Byte kTelling[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x08, 0x0C, 0x0F, 0x7F, 0x80, 0xC0, 0xED, 0xF4, 0xFF};
  bytes[random.below(bytes.size())] = random.one_in(2) ? random.pick(kTelling) : static_cast<Byte>(random.bits());
}

void insert_bytes(Bytes& bytes, Random& random) {
  const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1));
  const auto value = random.one_in(2) ? Byte{0} : static_cast<Byte>(random.bits());
  bytes.insert(at, 1 + random.below(8), value);
}

void erase_bytes(Bytes& bytes, Random& random) {
  const std::size_t at = random.below(bytes.size());
  const std::size_t count = 1 + random.below(std::min<std::size_t>(8, bytes.size() - at));
  bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + count));
}

void copy_within(Bytes& bytes, Random& random) {
  const std::size_t from = random.below(bytes.size());
  const std::size_t to = random.below(bytes.size());
  const std::size_t count = random.below(bytes.size() - std::max(from, to)) + 1;
  std::memmove(bytes.data() + to, bytes.data() + from, count);
}

void truncate(Bytes& bytes, Random& random) { bytes.resize(random.below(bytes.size() + 1)); }

/// Lengths are 32-bit numbers at any offset: nudged a little, or set to where signs and sums overflow.
void tweak_length(Bytes& bytes, Random& random) {
  constexpr std::uint32_t kEdges[] = {0, 1, 4, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFB, 0xFFFFFFFC, 48'000'000};
  if (bytes.size() < 4) return flip_bit(bytes, random);
  const std::size_t at = random.below(bytes.size() - 3);
  std::uint32_t length;
  std::memcpy(&length, bytes.data() + at, 4);
  switch (random.below(3)) {
    case 0:
      length += static_cast<std::uint32_t>(random.between(-5, 5));
      break;
    case 1:
      length = static_cast<std::uint32_t>(bytes.size() - at) + static_cast<std::uint32_t>(random.between(-2, 2));
      break;
    default:
      length = random.pick(kEdges);
  }
  std::memcpy(bytes.data() + at, &length, 4);
}

}  // namespace

void mutate(Bytes& bytes, Random& random) {
  using Mutation = void (*)(Bytes&, Random&);
  constexpr Mutation kMutations[] = {flip_bit,    set_byte,     insert_bytes, erase_bytes,
                                     copy_within, tweak_length, tweak_length, truncate};
  // One change mostly: many at once are refused at the first of them.
  for (std::uint64_t changes = random.one_in(4) ? 1 + random.below(8) : 1; changes > 0; --changes) {
    if (bytes.empty()) {
      insert_bytes(bytes, random);
    } else {
      random.pick(kMutations)(bytes, random);
    }
  }
}

}  // namespace partita::test
