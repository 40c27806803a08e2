// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/partition_export.h"

namespace partita::shards {
namespace {

/// A chunk is full behind the row that brings it here: small enough to be held by both ends.
constexpr std::size_t kChunkBytes = 256 << 10;

Operation note(std::string_view name, bson::View document) {
  return {OperationType::kCatalogPut, {}, {}, bytes_of(name), document.bytes()};
}

}  // namespace

PartitionExport::PartitionExport(Store& store, std::shared_ptr<const Collection> collection, const PartitionSlot& slot,
                                 query::KeyRange range, ReadPoint point)
    : store_(store), collection_(std::move(collection)), slot_(slot), range_(std::move(range)), point_(std::move(point)) {}

Result<std::unique_ptr<PartitionExport>> PartitionExport::begin(Store& store, std::shared_ptr<const Collection> collection,
                                                                const PartitionSlot& slot, query::KeyRange range) {
  if (!slot.inherits.empty()) {  // Its own rows would not tell all that it knows.
    return error(Code::ConflictingOperationInProgress, "partition ", static_cast<std::uint32_t>(slot.partition->id()),
                 " has not yet taken over what it inherits");
  }
  TRY(ReadPoint point, ReadPoint::now(store));
  return std::unique_ptr<PartitionExport>(
      new PartitionExport(store, std::move(collection), slot, std::move(range), std::move(point)));
}

Bytes PartitionExport::finish_chunk() {
  const Bytes chunk = chunk_.finish(store_.epoch(kDataLog), ++chunks_, time(), time(), previous_hash_);
  previous_hash_ = record_hash(chunk);
  return chunk;
}

Result<std::optional<Bytes>> PartitionExport::next() {
  if (stage_ == Stage::kDone) return std::optional<Bytes>();
  chunk_.begin(RecordKind::kSnapshot, kDataLog);
  if (stage_ == Stage::kBegin) {
    const bson::Document begin = bson::Document::build([&](bson::Writer& out) {
      out.add("collection", collection_->ns.full());
      out.add("partition", static_cast<std::int64_t>(slot_.partition->id()));
      out.add("time", static_cast<std::int64_t>(time()));
      out.add("epoch", static_cast<std::int64_t>(store_.epoch(kDataLog)));
      out.add("next", static_cast<std::int64_t>(next_sequence()));
    });
    chunk_.add(note("begin", begin));
    CHECK_OK(open_records());
    return std::optional<Bytes>(finish_chunk());
  }
  CHECK_OK(add_rows());
  if (!chunk_.empty()) return std::optional<Bytes>(finish_chunk());
  chunk_.add(note("end", totals_.encode()));
  stage_ = Stage::kDone;
  rows_.reset();
  return std::optional<Bytes>(finish_chunk());
}

Status PartitionExport::open_records() {
  TRY(Cursor rows, point_.session().cursor(slot_.partition->records()));
  const std::string& lower = std::max(range_.lower, slot_.min);
  const bool to_the_end = range_.upper.empty() || (!slot_.max.empty() && slot_.max < range_.upper);
  CHECK_OK(rows.bound(bytes_of(lower), true, bytes_of(to_the_end ? slot_.max : range_.upper)));
  rows_.emplace(std::move(rows));
  stage_ = Stage::kRecords;
  return {};
}

Status PartitionExport::open_retry_rows() {
  rows_.reset();
  TRY(Cursor rows, point_.session().cursor(store_.tables().retry));
  CHECK_OK(bound_retry_rows(rows, slot_.partition->id()));
  rows_.emplace(std::move(rows));
  stage_ = Stage::kRetryRows;
  return {};
}

Status PartitionExport::add_rows() {
  while (stage_ != Stage::kEnd && chunk_.size() < kChunkBytes) {
    TRY(const bool more, rows_->next());
    if (!more && stage_ == Stage::kRecords) {
      CHECK_OK(open_retry_rows());
    } else if (!more) {
      stage_ = Stage::kEnd;
    } else if (stage_ == Stage::kRecords) {
      totals_.add_document(rows_->key(), rows_->value());
      chunk_.add({OperationType::kInsert, slot_.partition->id(), collection_->uuid, rows_->key(), rows_->value()});
    } else {
      totals_.add_retry_row(rows_->key(), rows_->value());
      chunk_.add({OperationType::kRetryRow, slot_.partition->id(), {}, rows_->key(), rows_->value()});
    }
  }
  return {};
}

}  // namespace partita::shards
