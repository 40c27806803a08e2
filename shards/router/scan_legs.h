// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <deque>
#include <string>

#include "query/plan/key_range.h"
#include "shards/catalog/collection.h"

namespace partita::shards {

/// The place of the partition that holds the keys right below `upper`; an empty one is the end.
std::size_t slot_below(const Collection& collection, const std::string& upper);

/// What a scan has still to walk over: spans of record keys in the direction of the scan, each with the key in the walked
/// table that it goes on behind. Nothing in it names a partition, so that it holds whatever becomes of the map: a scan
/// takes the front span's share in the segment that now begins it, and leaves the rest, with the same key, for later.
class ScanLegs {
 public:
  struct Leg {
    query::KeyRange span;
    std::string after;  ///< Where in the walked table its rows have been shown up to; empty: none yet.
    std::size_t branch = 0;  ///< Of the walks that are done one after the other.
  };

  /// What the front leg means in one segment.
  struct Share {
    std::size_t place = 0;  ///< In the map, of one of its partitions.
    query::KeyRange clip;   ///< Open on the sides where the leg goes as far as the segment does.
    std::string_view after;
    std::size_t branch = 0;
  };

  explicit ScanLegs(bool backward, std::size_t branches = 1) : ScanLegs(backward, std::vector<query::KeyRange>(1), branches) {}
  /// Of parts of the record keys, in the direction of the scan, each as often as there are branches.
  ScanLegs(bool backward, const std::vector<query::KeyRange>& spans, std::size_t branches = 1) : backward_(backward) {
    for (const query::KeyRange& span : spans) {
      for (std::size_t branch = 0; branch < branches; ++branch) legs_.push_back({span, {}, branch});
    }
  }

  bool empty() const { return legs_.empty(); }
  /// Cuts the front leg to what lies in the segment that it begins in.
  Share enter(const Collection& collection);
  /// For who needs each segment's rows by themselves: keeps the part of the front leg that lies in the first segment, and
  /// returns the others, each of one segment, with all that comes behind in the last.
  std::vector<ScanLegs> part(const Collection& collection);
  /// The front leg is walked up to this key of the walked table.
  void stand(Bytes position);
  /// The front leg is walked to its end.
  void pop() { legs_.pop_front(); }

 private:
  ScanLegs take_rest();

  bool backward_;
  std::deque<Leg> legs_;
};

}  // namespace partita::shards
