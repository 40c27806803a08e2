// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/totals.h"

#include <xxhash.h>

#include "shards/catalog/collection.h"

namespace partita::shards {
namespace {

constexpr std::size_t kPartitionSize = 4;

std::uint64_t hash_row(Bytes key, Bytes value, std::uint64_t seed) {
  return XXH3_64bits_withSeed(value.data(), value.size(), XXH3_64bits_withSeed(key.data(), key.size(), seed));
}

std::array<std::uint8_t, kPartitionSize> prefix(std::uint32_t partition) {
  std::array<std::uint8_t, kPartitionSize> bytes;
  for (int i = 0; i < 4; ++i) bytes[i] = static_cast<std::uint8_t>(partition >> (24 - 8 * i));
  return bytes;
}

}  // namespace

void SnapshotTotals::add_document(Bytes key, Bytes document) {
  growth += {1, static_cast<std::int64_t>(document.size())};
  hash += hash_row(key, document, 0);
}

void SnapshotTotals::add_retry_row(Bytes key, Bytes row) {
  ++retry_rows;
  hash += hash_row(key.subspan(kPartitionSize), row, 1);
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

Status bound_retry_rows(Cursor& rows, std::uint32_t partition) {
  return rows.bound(prefix(partition), true, prefix(partition + 1));
}

Result<SnapshotTotals> measure_partition(Session& session, const PartitionSlot& slot, TableId retry_table) {
  SnapshotTotals totals;
  TRY(Cursor records, session.cursor(slot.partition->records()));
  while (true) {
    TRY(const bool more, records.next());
    if (!more) break;
    totals.add_document(records.key(), records.value());
  }
  TRY(Cursor retries, session.cursor(retry_table));
  CHECK_OK(bound_retry_rows(retries, static_cast<std::uint32_t>(slot.partition->id())));
  while (true) {
    TRY(const bool more, retries.next());
    if (!more) return totals;
    totals.add_retry_row(retries.key(), retries.value());
  }
}

}  // namespace partita::shards
