// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/partition_import.h"

#include <algorithm>

#include "query/updates/diff.h"
#include "wire/bson/validate.h"

namespace partita::shards {
namespace {

Status damaged(std::string_view what) { return error(Code::DataModifiedByRepair, "damaged export: ", what); }

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The key that a retry row has in another partition.
RetryKey moved(Bytes key, PartitionId to) {
  RetryKey moved;
  std::ranges::copy(key, moved.begin());
  std::ranges::copy(retry_prefix(to), moved.begin());
  return moved;
}

}  // namespace

Result<PartitionImport> PartitionImport::begin(Store& store, const Namespace& ns) {
  const Collection* collection = store.catalog().snapshot().find(ns.full());
  if (collection == nullptr) return error(Code::NamespaceNotFound, "ns does not exist: ", ns.full());
  if (collection->size().documents != 0) return error(Code::IllegalOperation, "an import needs an empty collection: ", ns.full());
  return PartitionImport(store, ns);
}

Status PartitionImport::accept(Bytes chunk) {
  if (complete_) return damaged("a chunk behind the last");
  TRY(RecordReader reader, RecordReader::open(chunk));
  const RecordHeader& header = reader.header();
  const bool in_place = header.kind == RecordKind::kSnapshot && header.sequence == chunks_ + 1 &&
                        header.previous_hash == previous_hash_;
  if (!in_place) return damaged("a chunk out of its place");
  RecordReader rows = reader;
  TRY(const std::optional<Operation> first, reader.next());
  if (!first) return damaged("an empty chunk");
  CHECK_OK(first->type == OperationType::kCatalogPut ? take_note(*first) : take_rows(rows));
  ++chunks_;
  previous_hash_ = record_hash(chunk);
  return {};
}

Status PartitionImport::take_note(const Operation& note) {
  TRY(const bson::View document, bson::validate(note.image, bson::kMaxStoredDepth));
  if (text(note.key) == "begin" && !begun_) {
    exported_ = PartitionId{static_cast<std::uint32_t>(document["partition"].exact_int64().value_or(0))};
    next_sequence_ = static_cast<Sequence>(document["next"].exact_int64().value_or(0));
    begun_ = true;
    return {};
  }
  if (text(note.key) != "end" || !begun_) return damaged("an unknown note");
  if (!totals_.agree(document)) return damaged("not everything that was sent has come");
  complete_ = true;
  return {};
}

Status PartitionImport::take_rows(RecordReader rows) {
  if (!begun_) return damaged("rows before the beginning");
  SnapshotTotals totals;
  const auto body = [&](WriteAttempt& attempt) -> Status {
    totals = totals_;
    RecordReader reader = rows;
    while (true) {
      TRY(const std::optional<Operation> row, reader.next());
      if (!row) return {};
      CHECK_OK(take_row(attempt, *row));
      row->type == OperationType::kInsert ? totals.add_document(row->key, row->image)
                                          : totals.add_retry_row(row->key, row->image);
    }
  };
  CHECK_OK(write(store_, ns_, {}, body));
  totals_ = totals;
  return {};
}

Status PartitionImport::take_row(WriteAttempt& attempt, const Operation& row) {
  if (row.type == OperationType::kInsert) {
    TRY(const bson::View document, bson::validate(row.image, bson::kMaxStoredDepth));
    TRY(const PartitionSlot* slot, attempt.enter(row.key));
    return attempt.unit().insert(*slot, row.key, document);
  }
  if (row.type != OperationType::kRetryRow || row.key.size() != RetryKey().size()) return damaged("an unknown row");
  CHECK_OK(check_retry_row(row.image));
  // With several partitions here a statement may have changed documents of any of them: each gets the row.
  for (const PartitionSlot& slot : attempt.collection().partitions) {
    CHECK_OK(attempt.enter(slot));
    CHECK_OK(attempt.unit().copy_retry_row(moved(row.key, slot.partition->id()), row.image));
  }
  return {};
}

Status PartitionImport::erase_retry_rows(WriteAttempt& attempt, const Operation& operation) {
  if (operation.key.size() != RetryKey().size()) return damaged("an unknown row");
  for (const PartitionSlot& slot : attempt.collection().partitions) {
    CHECK_OK(attempt.enter(slot));
    CHECK_OK(attempt.unit().erase_retry_row(moved(operation.key, slot.partition->id())));
  }
  return {};
}

Status PartitionImport::check_complete() const {
  return complete_ ? Status() : damaged("it ends in the middle");
}

Status PartitionImport::follow(const Operation& operation) {
  const auto body = [&](WriteAttempt& attempt) -> Status {
    switch (operation.type) {
      case OperationType::kInsert:
      case OperationType::kRetryRow:
        return take_row(attempt, operation);
      case OperationType::kRetryDelete:
        return erase_retry_rows(attempt, operation);
      default:
        return change(attempt, operation);
    }
  };
  return write(store_, ns_, {}, body);
}

Status PartitionImport::change(WriteAttempt& attempt, const Operation& operation) {
  TRY(const PartitionSlot* slot, attempt.enter(operation.key));
  TRY(Cursor at, attempt.session().cursor(slot->partition->records()));
  TRY(const bool there, at.find(operation.key));
  if (!there) return error(Code::DataModifiedByRepair, "the log changes a document that is not there");
  const bson::Document before(bson::View::trusted(at.value().data()));
  if (operation.type == OperationType::kDelete) return attempt.unit().remove(*slot, at, operation.key, before);
  if (operation.type == OperationType::kUpdate) {
    TRY(const bson::View after, bson::validate(operation.image, bson::kMaxStoredDepth));
    return attempt.unit().update(*slot, at, operation.key, before, after);
  }
  if (operation.type != OperationType::kUpdateDiff) return error(Code::DataModifiedByRepair, "not a change of a document");
  bson::Buffer after;
  CHECK_OK(query::apply_diff(before, operation.image, after));
  return attempt.unit().update(*slot, at, operation.key, before, bson::View::trusted(after.data()));
}

}  // namespace partita::shards
