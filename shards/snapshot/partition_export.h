// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/key_range.h"
#include "shards/snapshot/read_point.h"
#include "shards/snapshot/totals.h"

namespace partita::shards {

/// The rows of one partition, or of a range of it, as they were at one position of the log, in chunks, while writers go on.
/// Every chunk is a record (see record.h) of kind kSnapshot:
///
///     first      kCatalogPut "begin"  {collection, partition, time, epoch, next}: where the log goes on behind these rows
///     rows       kInsert key, document ...   kRetryRow key, row ...
///     last       kCatalogPut "end"    {documents, bytes, retryRows, hash}
///
/// The commit time is the position's, the sequence number counts chunks from 1, and each carries the hash of the one
/// before it, so that a chunk lost, repeated or damaged is noticed. The log's records from `next` on continue the state.
/// Holds a session and a transaction until it is destroyed. One thread.
class PartitionExport {
 public:
  /// From now. `collection` is kept as long as the export lives; `range` bounds record keys, retry rows all belong to it.
  static Result<std::unique_ptr<PartitionExport>> begin(Store& store, std::shared_ptr<const Collection> collection,
                                                        const PartitionSlot& slot, query::KeyRange range = {});

  /// The next chunk, valid until the next call; nullopt behind the last.
  Result<std::optional<Bytes>> next();

  Time time() const { return point_.time(); }
  /// The first record of the data log that is not in it.
  Sequence next_sequence() const { return point_.next_sequence(); }

 private:
  enum class Stage : std::uint8_t { kBegin, kRecords, kRetryRows, kEnd, kDone };

  PartitionExport(Store& store, std::shared_ptr<const Collection> collection, const PartitionSlot& slot,
                  query::KeyRange range, ReadPoint point);
  Status open_records();
  Status open_retry_rows();
  Status add_rows();
  Bytes finish_chunk();

  Store& store_;
  const std::shared_ptr<const Collection> collection_;
  const PartitionSlot& slot_;
  const query::KeyRange range_;
  ReadPoint point_;
  std::optional<Cursor> rows_;
  Stage stage_ = Stage::kBegin;
  RecordWriter chunk_;
  Sequence chunks_ = 0;
  std::uint64_t previous_hash_ = 0;
  SnapshotTotals totals_;
};

}  // namespace partita::shards
