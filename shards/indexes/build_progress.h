// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace partita::shards {

/// How far an index build has come. Written by the build, looked at from any thread; numbers that do not belong to the
/// same moment do no harm.
struct BuildProgress {
  enum class Phase : std::uint8_t { kWaiting, kScanning, kCatchingUp };
  std::atomic<Phase> phase{Phase::kWaiting};
  std::atomic<std::int64_t> done{0};   ///< Documents whose entries are in the indexes.
  std::atomic<std::int64_t> total{0};  ///< Of about so many, when the build began.
};

}  // namespace partita::shards
