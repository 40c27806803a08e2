// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <random>

#include "shards/log/record.h"
#include "wire/bson/types.h"

namespace partita::shards {

/// Where ids come from. Injected, so that a simulation draws the same ones again. Thread-safe.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}
  static std::uint64_t system_seed() {
    std::random_device device;
    return std::uint64_t{device()} << 32 | device();
  }
  std::uint64_t next() {
    const std::lock_guard lock(mutex_);
    return engine_();
  }
  /// A version 4 UUID.
  Uuid uuid();

 private:
  std::mutex mutex_;
  std::mt19937_64 engine_;
};

/// Makes ObjectIds: seconds of the wall, five bytes that tell this process apart, a counter. Thread-safe.
class ObjectIdSource {
 public:
  ObjectIdSource(const WallClock& wall, RandomSource& random);
  bson::ObjectId next();

 private:
  const WallClock& wall_;
  std::array<std::uint8_t, 5> process_;
  std::atomic<std::uint32_t> counter_;
};

}  // namespace partita::shards
