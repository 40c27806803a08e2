// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "shards/log/record.h"
#include "shards/partitions/counters.h"
#include "wire/error/status.h"

namespace partita::shards {

/// How far a split or a merge has come. Written by the job, looked at from any thread.
struct BalanceJob {
  enum class Kind : std::uint8_t { kSplit, kMerge };
  enum class Phase : std::uint8_t { kWaiting, kScanning, kPublishing };

  Kind kind = Kind::kSplit;
  std::string ns;
  std::vector<PartitionId> partitions;  ///< That are split or merged.
  bool automatic = false;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::atomic<Phase> phase{Phase::kWaiting};
  std::atomic<std::int64_t> bytes_done{0};
  std::atomic<std::int64_t> bytes_total{0};

  /// Asked often; a failure ends the job with that failure.
  using GoOn = std::function<Status()>;
};

/// For what the server does of its own accord: it does not wait for the end of an index build, but comes again.
inline BalanceJob::GoOn not_for_long(const BalanceJob::GoOn& go_on) {
  constexpr std::chrono::milliseconds kPatience(20);
  return [&go_on, until = std::chrono::steady_clock::now() + kPatience]() -> Status {
    if (go_on) CHECK_OK(go_on());
    if (std::chrono::steady_clock::now() < until) return {};
    return error(Code::ConflictingOperationInProgress, "a job is at work on the collection");
  };
}

/// One partition that a job has made, or would make.
struct BalancedPart {
  PartitionId partition{0};  ///< 0 where it would only be made.
  std::string min;
  std::string max;
  Growth size;
};

/// What came of a job, or would.
struct BalanceOutcome {
  std::vector<BalancedPart> parts;
  std::chrono::microseconds pause{0};  ///< For how long writers were kept out,
  std::chrono::microseconds drain{0};  ///< and how much of that was waiting for those inside.
  bool copies = false;                 ///< It takes new tables, not a change of the map alone.
};

}  // namespace partita::shards
