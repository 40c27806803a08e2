// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/new_partitions.h"

#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

FailPoint table_made{"partitionTableMade", "One of several new partitions has a table, and no row yet."};

}  // namespace

NewPartitions::NewPartitions(Store& store, PartitionId first, const std::vector<std::string>& bounds, std::string min,
                             std::size_t most_segments)
    : store_(store) {
  const std::size_t count = bounds.size() + 1;
  const std::size_t segments = std::min(count, most_segments);
  std::size_t segment = SIZE_MAX;
  for (std::size_t i = 0; i < count; ++i) {
    const PartitionId id{static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i)};
    const bool begins = std::exchange(segment, i * segments / count) != i * segments / count;
    const SegmentId in = begins ? Partition::own_segment(id) : partitions_.back().segment;
    partitions_.push_back({id, i == 0 ? std::move(min) : bounds[i - 1], in});
  }
}

NewPartitions::~NewPartitions() {
  if (tables_.empty()) return;
  store_.catalog().remove_later(tables_);
}

std::vector<SegmentId> NewPartitions::segments() const {
  std::vector<SegmentId> segments;
  for (const One& one : partitions_) {
    if (segments.empty() || segments.back() != one.segment) segments.push_back(one.segment);
  }
  return segments;
}

Status NewPartitions::make_tables() {
  for (const SegmentId segment : segments()) {
    TRY(const TableId table, store_.engine().create_table(Partition::records_table(segment), TableKind::kRecords));
    tables_.push_back(table);
    CHECK_OK(table_made.hit());
  }
  return {};
}

Status NewPartitions::make_indexes(const std::vector<IndexRow>& indexes) {
  for (const IndexRow& row : indexes) {
    TRY(IndexSpec spec, IndexSpec::parse(row.definition));
    spec.id = row.id;
    const auto shared = std::make_shared<const IndexSpec>(std::move(spec));
    for (const SegmentId segment : segments()) {
      auto index = std::make_shared<PartitionIndex>();
      TRY(index->table, store_.engine().create_table(Partition::index_table(segment, row.id), TableKind::kIndex));
      index->spec = shared;
      tables_.push_back(index->table);
      indexes_.emplace_back(segment, std::move(index));
    }
  }
  return {};
}

Status NewPartitions::make_claims(const std::string& table) {
  TRY(claims_, store_.engine().create_table(table, TableKind::kIndex));
  tables_.push_back(claims_);
  return table_made.hit();
}

std::vector<PartitionSlot> NewPartitions::slots(const Uuid& collection) const {
  std::vector<PartitionSlot> slots;
  for (const One& one : partitions_) {
    const TableId records = store_.engine().table(Partition::records_table(one.segment));
    PartitionSlot& slot = slots.emplace_back();
    slot.min = one.min;
    slot.claims = claims_;
    slot.partition = std::make_shared<Partition>(one.id, collection, records, one.segment);
    for (const auto& [segment, index] : indexes_) {
      if (segment == one.segment) slot.indexes.push_back(index);
    }
  }
  return slots;
}

void NewPartitions::add_to(Catalog::Change& change, const Uuid& collection, std::span<const PartitionSlot> filled) const {
  for (std::size_t i = 0; i < partitions_.size(); ++i) {
    const One& one = partitions_[i];
    PartitionRow row{.min = one.min, .created = {store_.clock().wall().now_ms()}};
    if (!filled.empty()) {
      const Growth size = filled[i].partition->counters().total();
      row.documents = size.documents;
      row.bytes = size.bytes;
      row.inherits = filled[i].inherits;
      row.origin = filled[i].origin;
    }
    if (one.segment != Partition::own_segment(one.id)) row.segment = static_cast<std::uint32_t>(one.segment);
    change.put(PartitionRow::key(collection, one.id), row.encode());
  }
  for (const SegmentId segment : segments()) change.adopt(segment);
  for (const auto& [segment, index] : indexes_) change.adopt(segment, index);
}

}  // namespace partita::shards
