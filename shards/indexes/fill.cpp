// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/indexes/fill.h"

#include <algorithm>

#include "shards/storage/bulk_load.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// Documents or entries between two looks at whether to go on, and between two words about how far it has come.
constexpr int kInterruptInterval = 64;
constexpr int kChunk = 1000;

FailPoint chunk_collected{"indexChunkCollected", "Some documents' entries wait to be sorted for a new index."};
FailPoint chunk_filled{"indexChunkFilled", "Some entries are in a new index."};

/// Calls `each` until it says that there is nothing more.
template <class Each>
Status in_chunks(const IndexFill::GoOn& go_on, std::atomic<std::int64_t>& done, FailPoint& chunk_done, Each&& each) {
  for (bool more = true; more;) {
    int count = 0;
    for (; count < kChunk; ++count) {
      if (count % kInterruptInterval == 0) CHECK_OK(go_on());
      TRY(more, each());
      if (!more) break;
    }
    done.fetch_add(count, std::memory_order_relaxed);
    CHECK_OK(chunk_done.hit());
  }
  return {};
}

}  // namespace

IndexFill::IndexFill(TableId records, Indexes indexes, query::ExternalSort::Options memory, GoOn go_on, BuildProgress& progress)
    : records_(records), indexes_(indexes), go_on_(std::move(go_on)), progress_(progress) {
  memory.memory_limit /= indexes.size();
  for (std::size_t i = 0; i < indexes.size(); ++i) rows_.emplace_back(memory);
}

Status IndexFill::run(Session& reader, Session& writer) {
  progress_.phase = BuildProgress::Phase::kScanning;
  CHECK_OK(collect(reader));
  for (std::size_t i = 0; i < indexes_.size(); ++i) CHECK_OK(load(writer, *indexes_[i], rows_[i]));
  return {};
}

Status IndexFill::collect(Session& reader) {
  TRY(Cursor documents, reader.cursor(records_));
  return in_chunks(go_on_, progress_.done, chunk_collected, [&]() -> Result<bool> {
    TRY(const bool more, documents.next());
    if (!more) return false;
    const bson::View document = bson::View::trusted(documents.value().data());
    for (std::size_t i = 0; i < indexes_.size(); ++i) {
      CHECK_OK(entries_.collect(*indexes_[i], documents.key(), document, rows_[i]));
    }
    return true;
  });
}

Status IndexFill::load(Session& writer, PartitionIndex& index, query::ExternalSort& rows) {
  progress_.entries.store(0, std::memory_order_relaxed);
  progress_.all_entries.store(rows.size(), std::memory_order_relaxed);
  progress_.phase = BuildProgress::Phase::kLoading;
  CHECK_OK(rows.finish());
  TRY(BulkLoad table, BulkLoad::begin(writer, index.table));
  bson::Buffer last;
  CHECK_OK(in_chunks(go_on_, progress_.entries, chunk_filled, [&]() -> Result<bool> {
    query::KeyedBytes entry;
    TRY(const bool more, rows.next(entry));
    if (!more) return false;
    if (index.spec->unique) {
      if (!last.empty() && std::ranges::equal(last.bytes(), entry.key)) return index_collision(*index.spec, entry.key, entry.bytes);
      last.clear();
      last.append(entry.key);
    }
    CHECK_OK(table.append(entry.key, entry.bytes));
    return true;
  }));
  rows = query::ExternalSort({});
  return table.finish();
}

}  // namespace partita::shards
