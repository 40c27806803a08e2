// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "shards/catalog/collection.h"

namespace partita::wire {
class Periodic;
}

namespace partita::shards {

class Store;

/// When partitions that share tables move out. May be set at any time.
struct MoveOptions {
  std::atomic<bool> enabled{true};
  /// Tables of less are not worth it: they are as quickly read through as apart.
  std::atomic<std::int64_t> least_bytes{64 << 20};
  /// More than that being written in a second, no matter where, is not quiet.
  std::atomic<std::int64_t> quiet_bytes_per_second{1 << 20};
  /// Looks in a row that must have found it quiet.
  std::atomic<int> quiet_looks{5};
};

/// After splits the map is finer than the tables. When it is quiet, and one segment after the other, the partitions that
/// share one are copied into tables of their own; the largest first.
class Mover {
 public:
  Mover(Store& store, std::shared_ptr<const MoveOptions> options);
  /// Ends what is under way; it has left nothing.
  ~Mover();

  /// Looks once, at the most one segment moves. True when one has. For tests.
  bool turn();

 private:
  struct Candidate {
    std::shared_ptr<const Collection> collection;
    Collection::Run run;
    std::int64_t bytes = 0;
  };
  bool is_quiet();
  Candidate find() const;
  Status move_out(const Candidate& candidate);

  Store& store_;
  const std::shared_ptr<const MoveOptions> options_;
  std::uint64_t written_ = 0;  ///< Bytes of the log at the last look.
  std::chrono::steady_clock::time_point looked_;
  int quiet_looks_ = 0;
  std::atomic<bool> stopping_{false};
  std::unique_ptr<wire::Periodic> looking_;  // Last: stops before the rest goes.
};

}  // namespace partita::shards
