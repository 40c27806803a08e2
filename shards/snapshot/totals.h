// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/record.h"
#include "shards/partitions/counters.h"
#include "shards/storage/session.h"
#include "wire/bson/document.h"

namespace partita::shards {

struct PartitionSlot;

/// What an export and its import agree on: how much there is, and a hash of all of it that does not depend on the order.
/// Retry rows count without their partition's number, which is another at the other end.
struct SnapshotTotals {
  Growth growth;
  std::int64_t retry_rows = 0;
  std::uint64_t hash = 0;

  void add_document(Bytes key, Bytes document);
  void add_retry_row(Bytes key, Bytes row);
  bson::Document encode() const;
  bool agree(bson::View encoded) const;
};

/// The totals of a partition as the session's transaction sees it.
Result<SnapshotTotals> measure_partition(Session& session, const PartitionSlot& slot, TableId retry_table);

/// Restricts a cursor over the retry rows to one partition's.
Status bound_retry_rows(Cursor& rows, PartitionId partition);

}  // namespace partita::shards
