// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "shards/catalog/collection.h"

namespace partita::shards {
class Catalog;
}

namespace partita::commands {

/// How often queries have been led by an index, since the server has started or the index was made. Counted once for a query,
/// on a line of memory that few threads share. Thread-safe.
class IndexUse {
 public:
  void count() { stripes_[stripe()].operations.fetch_add(1, std::memory_order_relaxed); }
  std::int64_t operations() const {
    std::int64_t sum = 0;
    for (const Stripe& stripe : stripes_) sum += stripe.operations.load(std::memory_order_relaxed);
    return sum;
  }

  /// When it was made, in milliseconds of the wall's clock; 0 where that was before the server has started.
  void made_at(std::int64_t millis) { made_at_.store(millis, std::memory_order_relaxed); }
  std::int64_t made_at() const { return made_at_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Stripe {
    std::atomic<std::int64_t> operations{0};
  };
  static std::size_t stripe() {
    static std::atomic<std::size_t> threads{0};
    thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed) % kStripes;
    return mine;
  }
  static constexpr std::size_t kStripes = 8;

  std::array<Stripe, kStripes> stripes_;
  std::atomic<std::int64_t> made_at_{0};
};

/// That of an index by its id; 0: of the records, as the index that they are. Kept until the index has gone.
std::shared_ptr<IndexUse> index_use(const shards::Collection& collection, std::uint32_t id);
/// Counts a look-up by record key: of the collection that this thread has come to last it costs no search.
void count_record_use(const shards::Collection& collection);
/// Forgets those of indexes that are not in the catalog any more. Where there are several catalogs in a process, as in tests,
/// those of the others begin anew.
void forget_index_uses(shards::Catalog& catalog);
/// How many are kept: for tests.
std::size_t index_uses();

}  // namespace partita::commands
