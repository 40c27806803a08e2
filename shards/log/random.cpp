// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/random.h"

#include <cstring>

namespace partita::shards {

Uuid RandomSource::uuid() {
  const std::uint64_t halves[2] = {next(), next()};
  Uuid uuid;
  std::memcpy(uuid.data(), halves, uuid.size());
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

ObjectIdSource::ObjectIdSource(const WallClock& wall, RandomSource& random)
    : wall_(wall), counter_(static_cast<std::uint32_t>(random.next())) {
  const std::uint64_t bits = random.next();
  std::memcpy(process_.data(), &bits, process_.size());
}

bson::ObjectId ObjectIdSource::next() {
  const auto seconds = static_cast<std::uint32_t>(wall_.now_ms() / 1000);
  const std::uint32_t count = counter_.fetch_add(1, std::memory_order_relaxed);
  bson::ObjectId id;
  for (int i = 0; i < 4; ++i) id.bytes[i] = static_cast<std::uint8_t>(seconds >> (24 - 8 * i));
  std::memcpy(id.bytes.data() + 4, process_.data(), process_.size());
  for (int i = 0; i < 3; ++i) id.bytes[9 + i] = static_cast<std::uint8_t>(count >> (16 - 8 * i));
  return id;
}

}  // namespace partita::shards
