// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "wire/error/status.h"

namespace partita::wire {
class Periodic;
}

namespace partita::shards {

class Store;

/// When expired documents are looked for. May be set at any time.
struct TtlOptions {
  std::atomic<bool> enabled{true};
  std::atomic<std::int64_t> sleep_seconds{60};
};

/// Deletes the documents whose dates have passed: those with an entry in an index with expireAfterSeconds, a partial or a
/// hidden one too, that is a date and so many seconds old. A pass goes over all such indexes in all partitions. Thread-safe.
class TtlMonitor {
 public:
  TtlMonitor(Store& store, std::shared_ptr<const TtlOptions> options);
  /// Breaks off the pass that is under way.
  ~TtlMonitor();

  /// A whole pass, now. A collection in which it fails is logged, and left for the next one.
  void pass();

  struct Figures {
    std::int64_t passes = 0;
    std::int64_t deleted = 0;
  };
  Figures figures() const;

 private:
  void turn();

  Store& store_;
  const std::shared_ptr<const TtlOptions> options_;
  std::chrono::steady_clock::time_point last_;  ///< The end of the last pass, or the start.
  std::atomic<std::int64_t> passes_{0};
  std::atomic<std::int64_t> deleted_{0};
  std::atomic<bool> stopping_{false};
  std::unique_ptr<wire::Periodic> looking_;  // Last: stops before the rest goes.
};

}  // namespace partita::shards
