// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/build.h"

#include "shards/indexes/entries.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// Documents per engine transaction: enough to spread its cost, few enough not to fill the cache with one transaction.
constexpr int kChunk = 1000;

FailPoint table_made{"indexTableMade", "A new index has its table in one partition, and no entries."};
FailPoint chunk_filled{"indexChunkFilled", "Some documents' entries are in a new index."};

}  // namespace

Status fill_index(Engine& engine, const Partition& partition, PartitionIndex& index) {
  TRY(const SessionLease session, SessionLease::take(engine));
  IndexWriter writer;
  std::vector<std::uint8_t> last;
  bool more = true;
  while (more) {
    TRY(Transaction transaction, Transaction::begin(*session));
    TRY(Cursor cursor, session->cursor(partition.records()));
    if (!last.empty()) CHECK_OK(cursor.bound(last, false, {}));
    for (int i = 0; i < kChunk; ++i) {
      TRY(more, cursor.next());
      if (!more) break;
      const Bytes key = cursor.key();
      CHECK_OK(writer.insert(*session, index, key, bson::View::trusted(cursor.value().data())));
      if (i == kChunk - 1) last.assign(key.begin(), key.end());
    }
    cursor.reset();
    CHECK_OK(transaction.commit(0));
    CHECK_OK(chunk_filled.hit());
  }
  return {};
}

Result<std::shared_ptr<PartitionIndex>> build_index(Engine& engine, const Partition& partition,
                                                    std::shared_ptr<const IndexSpec> spec) {
  auto index = std::make_shared<PartitionIndex>();
  TRY(index->table, engine.create_table(Partition::index_table(partition.id(), spec->id), TableKind::kIndex));
  index->spec = std::move(spec);
  Status filled = table_made.hit();
  if (filled.ok()) filled = fill_index(engine, partition, *index);
  if (!filled.ok()) {
    // Nobody knows the table: if it cannot go now, the next start sweeps it up.
    Status dropped = engine.drop_table(index->table);
    (void)dropped;
    return filled;
  }
  return index;
}

}  // namespace partita::shards
