// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "shards/router/partition_scan.h"

namespace partita::shards {

/// A part of a walk that can be done by itself: the record keys of one partition, or, where an index is walked over, of
/// all partitions that share its table, for entries lie in another order than the records.
struct LegSpan {
  query::KeyRange span;
  std::size_t first = 0;  ///< Its partitions, by their places in the map.
  std::size_t end = 0;
};

/// The legs of a walk over what its order asks for: no others are touched. In the direction of the walk.
std::vector<LegSpan> leg_spans(const Collection& collection, const ScanOrder& order);

/// Which paths of the index, by its place among the collection's, some document that may lie in these has led through an
/// array: query::IndexKeys::multikey().
std::uint64_t array_bits(const Collection& collection, std::size_t index, const std::vector<LegSpan>& legs);

/// Rows that a walk over these legs will look at for certain, if it comes to its end: 0 where that cannot be told.
std::int64_t certain_rows(const Collection& collection, const ScanOrder& order, const std::vector<LegSpan>& legs);

/// The same as one walk: legs that adjoin each other are one stretch of record keys.
std::vector<query::KeyRange> joined(const std::vector<LegSpan>& legs, bool backward);

/// The part of a walk over records that lies in a span: a leg need not look at the ranges of all others.
ScanOrder within(const ScanOrder& order, const query::KeyRange& span);

}  // namespace partita::shards
