// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace partita::shards {

/// How far work beside the writers of a collection has come: building indexes, or copying it into other partitions. Written
/// by the work, looked at from any thread; numbers that do not belong to the same moment do no harm.
struct BuildProgress {
  enum class Work : std::uint8_t { kIndexes, kPartitions };
  enum class Phase : std::uint8_t { kWaiting, kScanning, kLoading, kCatchingUp };
  const Work work = Work::kIndexes;
  std::atomic<Phase> phase{Phase::kWaiting};
  std::atomic<std::int64_t> done{0};   ///< Documents that have been looked at, or copied.
  std::atomic<std::int64_t> total{0};  ///< Of about so many, when the build began.
  std::atomic<std::int64_t> entries{0};      ///< Loading: of an index, in its table.
  std::atomic<std::int64_t> all_entries{0};
};

}  // namespace partita::shards
