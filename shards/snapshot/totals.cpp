// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/totals.h"

#include <xxhash.h>

#include "shards/catalog/collection.h"
#include "shards/sessions/retry.h"

namespace partita::shards {
namespace {

std::uint64_t hash_row(Bytes key, Bytes value, std::uint64_t seed) {
  return XXH3_64bits_withSeed(value.data(), value.size(), XXH3_64bits_withSeed(key.data(), key.size(), seed));
}

}  // namespace

void SnapshotTotals::add_document(Bytes key, Bytes document) {
  growth += {1, static_cast<std::int64_t>(document.size())};
  hash += hash_row(key, document, 0);
}

void SnapshotTotals::add_retry_row(Bytes key, Bytes row) {
  ++retry_rows;
  hash += hash_row(key.subspan(RetryPrefix().size()), row, 1);
}

bson::Document SnapshotTotals::encode() const {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("documents", growth.documents);
    out.add("bytes", growth.bytes);
    out.add("retryRows", retry_rows);
    out.add("hash", static_cast<std::int64_t>(hash));
  });
}

bool SnapshotTotals::agree(bson::View encoded) const { return encode().view() == encoded; }

Status bound_retry_rows(Cursor& rows, PartitionId partition) {
  const RetryRange range = retry_range(partition);
  return rows.bound(range.lower, true, range.upper ? Bytes(*range.upper) : Bytes());
}

Result<SnapshotTotals> measure_partition(Session& session, const PartitionSlot& slot, TableId retry_table) {
  SnapshotTotals totals;
  TRY(Cursor records, session.cursor(slot.partition->records()));
  CHECK_OK(records.bound(bytes_of(slot.min), true, bytes_of(slot.max)));
  while (true) {
    TRY(const bool more, records.next());
    if (!more) break;
    totals.add_document(records.key(), records.value());
  }
  TRY(Cursor retries, session.cursor(retry_table));
  CHECK_OK(bound_retry_rows(retries, slot.partition->id()));
  while (true) {
    TRY(const bool more, retries.next());
    if (!more) return totals;
    totals.add_retry_row(retries.key(), retries.value());
  }
}

}  // namespace partita::shards
