// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

namespace partita::shards {

/// By what a server keeps partitions sized. May be changed while it runs, by any thread.
struct BalanceOptions {
  static constexpr std::int64_t kPartitionBytes = std::int64_t{10} << 30;
  static constexpr std::int64_t kMergeAgeMs = 10 * 60 * 1000;

  std::atomic<std::int64_t> partition_bytes{kPartitionBytes};  ///< A partition that has reached it is split.
  std::atomic<bool> splits{true};
  std::atomic<bool> merges{true};
  /// How long a partition stays as it is, at least, before it may be merged.
  std::atomic<std::int64_t> merge_age_ms{kMergeAgeMs};
  /// After how long what a partition knows of statements through others becomes its own. Statements are sent again within
  /// seconds, and rows of a part that is split again at once need not be copied twice.
  std::atomic<std::int64_t> heritage_age_ms{2000};
};

}  // namespace partita::shards
