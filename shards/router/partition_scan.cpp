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
                                          const ScanLegs::Share& share,
                                          const std::function<Status()>* interrupted) {
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
  PartitionScan scan(order, index, share.clip, std::move(rows), std::move(records), interrupted);
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
  return less(entry_of_, bytes_of(clip_.lower)) || (!clip_.upper.empty() && !less(entry_of_, bytes_of(clip_.upper)));
}

Status PartitionScan::enter_next_range() {
  if (++range_ == ranges()) return {};
  rows_.reset();  // Clears the bounds too.
  return enter_range({});
}

/// Where an entry points; false when another leg shows it.
bool PartitionScan::follow_entry() {
  entry_of_ = record_key_of(*index_->spec, row_.key, row_.value);
  return !outside_clip();
}

Result<bson::View> PartitionScan::fetch() {
  TRY(const bool there, records_->find(entry_of_));
  if (!there) return error(Code::DataModifiedByRepair, "index '", index_->spec->name, "' points at no document");
  return bson::View::trusted(records_->value().data());
}

}  // namespace partita::shards
