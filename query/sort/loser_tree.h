// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace partita::query {

/// Merges sorted sources: says which of them has the smallest key now, at log2 of their number comparisons an item.
/// Keys are bytes, compared by memcmp; of equal keys the lower-numbered source's comes first (where record keys are a
/// part of the key, no two are equal). The keys belong to the caller and stay readable until they are replaced.
///
///     LoserTree merge(sources);
///     for each source: if it has a row, merge.set(source, key);
///     for (merge.build(); !merge.done();) {
///       take the row of merge.winner();
///       its next row's key -> merge.replace(key), or merge.remove() when that was the last one
///     }
class LoserTree {
 public:
  explicit LoserTree(std::size_t sources);

  /// The source's first key. Sources without one have ended.
  void set(std::size_t source, std::span<const std::uint8_t> key);
  void build();

  bool done() const { return !runners_[winner_].live; }
  /// The source that holds the smallest key.
  std::size_t winner() const { return winner_; }
  /// The winner's source goes on with this key, which is not smaller than the one before.
  void replace(std::span<const std::uint8_t> key);
  /// The winner's source has ended.
  void remove();

 private:
  struct Runner {
    std::uint64_t prefix = 0;  ///< The first eight bytes, which decide most comparisons.
    std::span<const std::uint8_t> key;
    bool live = false;
  };
  bool before(std::uint32_t a, std::uint32_t b) const;
  void replay();

  std::vector<Runner> runners_;
  std::vector<std::uint32_t> losers_;  ///< Of the match at each inner node; the leaf of source s is node s + sources.
  std::uint32_t winner_ = 0;
};

}  // namespace partita::query
