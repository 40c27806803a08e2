// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/leg_spans.h"

#include <algorithm>

namespace partita::shards {
namespace {

using query::KeyRange;

bool ends_before(const KeyRange& range, std::string_view key) { return !range.upper.empty() && range.upper <= key; }
bool begins_behind(const KeyRange& range, std::string_view key) { return !key.empty() && range.lower >= key; }

/// The ranges that have keys of the span.
std::span<const KeyRange> overlapping(std::span<const KeyRange> ranges, const KeyRange& span) {
  const auto first = std::ranges::partition_point(ranges, [&](const KeyRange& range) { return ends_before(range, span.lower); });
  const auto behind = std::partition_point(first, ranges.end(), [&](const KeyRange& range) { return !begins_behind(range, span.upper); });
  return {first, behind};
}

}  // namespace

// The map may be long, and what is asked for lie in one place of it: nothing is looked at that is not part of the answer.
std::vector<LegSpan> leg_spans(const Collection& collection, const ScanOrder& order) {
  static const std::vector<KeyRange> kEverything(1);
  const std::vector<KeyRange>& targets = order.targets().empty() ? kEverything : order.targets();
  const auto& slots = collection.partitions;
  std::vector<LegSpan> legs;
  std::size_t next = 0;  // What comes before is among the legs, or not asked for.
  for (const KeyRange& range : targets) {
    for (next = std::max(next, collection.slot_of(bytes_of(range.lower))); next < slots.size(); next = legs.back().end) {
      if (ends_before(range, slots[next].min)) break;
      const Collection::Run run = order.index == nullptr ? Collection::Run{next, next + 1} : collection.run_of(next);
      legs.push_back({.span = {slots[run.first].min, slots[run.end - 1].max}, .first = run.first, .end = run.end});
    }
  }
  if (order.backward) std::ranges::reverse(legs);
  return legs;
}

std::uint64_t array_bits(const Collection& collection, std::size_t index, const std::vector<LegSpan>& legs) {
  std::uint64_t bits = 0;
  for (const LegSpan& leg : legs) {
    const auto slots = std::span(collection.partitions).subspan(leg.first, leg.end - leg.first);
    for (const PartitionSlot& slot : slots) bits |= slot.indexes[index]->multikey.load(std::memory_order_relaxed);
  }
  return bits;
}

std::int64_t certain_rows(const Collection& collection, const ScanOrder& order, const std::vector<LegSpan>& legs) {
  const bool all = order.is_over_records() && std::ranges::all_of(order.ranges, [](const KeyRange& range) { return range == KeyRange(); });
  std::int64_t rows = 0;
  for (std::size_t i = 0; all && i < legs.size(); ++i) {
    for (std::size_t at = legs[i].first; at < legs[i].end; ++at) rows += collection.partitions[at].partition->counters().total().documents;
  }
  return rows;
}

std::vector<KeyRange> joined(const std::vector<LegSpan>& legs, bool backward) {
  std::vector<KeyRange> spans;
  for (const LegSpan& leg : legs) {
    if (!spans.empty() && !backward && spans.back().upper == leg.span.lower) {
      spans.back().upper = leg.span.upper;
    } else if (!spans.empty() && backward && spans.back().lower == leg.span.upper) {
      spans.back().lower = leg.span.lower;
    } else {
      spans.push_back(leg.span);
    }
  }
  return spans;
}

ScanOrder within(const ScanOrder& order, const KeyRange& span) {
  if (!order.is_over_records()) {
    ScanOrder all = order;
    all.within.clear();  // The span is all that is left of them.
    return all;
  }
  ScanOrder part{.index = order.index,
                 .ranges = {},
                 .backward = order.backward,
                 .may_repeat = order.may_repeat,
                 .by_logical_key = order.by_logical_key};
  if (order.ranges.empty()) return part;
  const auto ranges = overlapping(order.ranges, span);
  part.ranges.assign(ranges.begin(), ranges.end());
  return part;
}

}  // namespace partita::shards
