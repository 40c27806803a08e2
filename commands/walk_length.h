// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "shards/catalog/collection.h"
#include "shards/router/partition_scan.h"

namespace partita::commands {

/// Whether walks over ranges of an index, or of a collection's records, tend to be so short that an io core makes them as
/// soon as it would have called a worker. A guess, made of how the last ones went: walks that share a place by chance only
/// mislead each other. Thread-safe.
class WalkLength {
 public:
  static WalkLength& of(const shards::Collection& collection, const shards::ScanOrder& order);

  bool seems_short() {
    const std::uint8_t left = distrusted_for_.load(std::memory_order_relaxed);
    if (left == 0) return true;
    distrusted_for_.store(left - 1, std::memory_order_relaxed);
    return false;
  }
  void was_long() { distrusted_for_.store(kDistrusted, std::memory_order_relaxed); }

 private:
  static constexpr std::uint8_t kDistrusted = 100;  ///< So many walks are a worker's before one is tried on a core again.

  std::atomic<std::uint8_t> distrusted_for_{0};
};

}  // namespace partita::commands
