// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/partition_scan.h"

#include <algorithm>
#include <cassert>

#include "shards/indexes/entries.h"

namespace partita::shards {
namespace {

bool less(Bytes a, Bytes b) { return std::ranges::lexicographical_compare(a, b); }

}  // namespace

Result<PartitionScan> PartitionScan::open(Session& session, const PartitionSlot& slot, const ScanOrder& order,
                                          const ScanLegs::Share& share) {
  const PartitionIndex* index = nullptr;
  if (order.index != nullptr) {
    const auto same = [&](const auto& one) { return one->spec->id == order.index->id; };
    const auto found = std::ranges::find_if(slot.indexes, same);
    if (found == slot.indexes.end()) return error(Code::QueryPlanKilled, "index '", order.index->name, "' dropped");
    index = found->get();
  }
  TRY(Cursor rows, session.cursor(index == nullptr ? slot.partition->records() : index->table));
  std::optional<Cursor> records;
  if (index != nullptr) {
    TRY(Cursor cursor, session.cursor(slot.partition->records()));
    records.emplace(std::move(cursor));
  }
  PartitionScan scan(order, index, share.clip, std::move(rows), std::move(records));
  CHECK_OK(scan.enter_range(bytes_of(share.after)));
  return scan;
}

// Ranges are taken in the direction of the scan. A scan that goes on skips the ranges that lie behind it and cuts the one
// that it stood in.
Status PartitionScan::enter_range(Bytes after) {
  static const query::KeyRange kEverything;
  for (; range_ < ranges(); ++range_) {
    const std::size_t at = order_->backward ? ranges() - 1 - range_ : range_;
    TRY(const bool something, narrow(order_->ranges.empty() ? kEverything : order_->ranges[at], after));
    if (something) return {};
  }
  return {};
}

/// Bounds the cursor to what is left of a range; false when nothing is.
Result<bool> PartitionScan::narrow(const query::KeyRange& range, Bytes after) {
  Bytes lower = bytes_of(range.lower);
  Bytes upper = bytes_of(range.upper);
  bool lower_inclusive = true;
  const auto end_at = [&](Bytes bound) {
    if (!bound.empty() && (upper.empty() || less(bound, upper))) upper = bound;
  };
  if (index_ == nullptr) {
    if (less(lower, bytes_of(clip_.lower))) lower = bytes_of(clip_.lower);
    end_at(bytes_of(clip_.upper));
  }
  if (order_->backward) {
    end_at(after);
  } else if (!after.empty() && !less(after, lower)) {
    lower = after;
    lower_inclusive = false;
  }
  // WiredTiger refuses bounds that meet or cross.
  if (!lower.empty() && !upper.empty() && !less(lower, upper)) return false;
  CHECK_OK(rows_.bound(lower, lower_inclusive, upper));
  return true;
}

/// Entries are in another order than the records: a leg that is less than the partition leaves some of them out.
bool PartitionScan::outside_clip() const {
  if (index_ == nullptr) return false;
  return less(record_key_, bytes_of(clip_.lower)) || (!clip_.upper.empty() && !less(record_key_, bytes_of(clip_.upper)));
}

Result<bool> PartitionScan::next() {
  while (range_ < ranges()) {
    TRY(const bool more, order_->backward ? rows_.previous() : rows_.next());
    started_ = more;
    if (more) {
      ++keys_examined_;
      row_ = rows_.row();
      record_key_ = index_ == nullptr ? row_.key : record_key_of(*index_->spec, row_.key, row_.value);
      if (outside_clip()) [[unlikely]] continue;
      return true;
    }
    ++range_;
    if (range_ == ranges()) break;
    rows_.reset();  // Clears the bounds too.
    CHECK_OK(enter_range({}));
  }
  return false;
}

// A cold row costs two or three waits for memory, more than all that is done with it. Where rows lie in the order of their
// keys, on a page from disk or as a loader has allocated them, the next one lies as far ahead as the last one behind.
void PartitionScan::prefetch_next(const std::uint8_t* row) {
  constexpr std::uintptr_t kLine = 64;
  constexpr std::uintptr_t kLines = 4;
  constexpr std::uintptr_t kRowsAhead = 2;
  const auto here = reinterpret_cast<std::uintptr_t>(row);
  const std::uintptr_t ahead = here + kRowsAhead * (here - std::exchange(last_row_, here));
  const std::uintptr_t first = ahead - kLine;  // What the engine keeps before the row.
  for (std::uintptr_t i = 0; i < kLines; ++i) __builtin_prefetch(reinterpret_cast<const void*>(first + i * kLine));
}

Result<bson::View> PartitionScan::document() {
  ++documents_examined_;
  if (index_ == nullptr) {
    prefetch_next(row_.value.data());
    return bson::View::trusted(row_.value.data());
  }
  TRY(const bool there, records_->find(record_key_));
  if (!there) return error(Code::DataModifiedByRepair, "index '", index_->spec->name, "' points at no document");
  return bson::View::trusted(records_->value().data());
}

}  // namespace partita::shards
