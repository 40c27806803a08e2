// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/simulation/replica.h"

namespace partita::simulation {
namespace {

using namespace shards;

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

bson::View document_of(const std::string& row) { return bson::View::trusted(bytes_of(row).data()); }

Status fill(MemoryTables& tables, TableId records, PartitionIndex& index) {
  MemorySession session(tables);
  BasicIndexWriter<MemorySession> writer;
  for (const auto& [key, row] : tables.rows(records)) {
    CHECK_OK(writer.insert(session, index, bytes_of(key), document_of(row)));
  }
  session.commit();
  return {};
}

}  // namespace

Replica::Replica(const char* node, Judge& judge, Sabotage sabotage, std::array<PartitionLog*, 2> logs,
                 const Checkpoint& from)
    : node_(node), judge_(judge), sabotage_(sabotage), partition_logs_(logs), tables_(from.tables.copy()), logs_(from.logs) {
  applier_tables_ = {tables_.table("catalog"), tables_.table("retry")};
  applier_.use(applier_tables_);
  Status status = load();
  if (status.ok()) status = open_tails();
  if (!status.ok()) judge_.fail(detail::join(node_, " cannot start: ", status.message()));
}

Status Replica::load() {
  state_ = std::make_unique<CatalogState>(tables_);
  for (const auto& [key, row] : tables_.rows(applier_tables_.catalog)) {
    CHECK_OK(state_->put(bytes_of(key), document_of(row)));
  }
  CHECK_OK(state_->settle_loaded());
  for (const PartitionSlot* slot : state_->slots()) {
    slot->partition->counters().restore(measure(*slot->partition, slot->min, end_of(*slot)));
  }
  snapshot_ = state_->publish(++version_);
  return {};
}

std::string Replica::end_of(const PartitionSlot& slot) const {
  std::string end;
  for (const PartitionSlot* other : state_->slots()) {
    const bool behind = other->partition->collection() == slot.partition->collection() && other->min > slot.min;
    if (behind && (end.empty() || other->min < end)) end = other->min;
  }
  return end;
}

Growth Replica::measure(const Partition& partition, const std::string& from, const std::string& to) const {
  Growth growth;
  for (const auto& [key, row] : tables_.rows(partition.records())) {
    const bool within = key >= from && (to.empty() || key < to);
    if (within) growth += {1, static_cast<std::int64_t>(row.size())};
  }
  return growth;
}

Status Replica::open_tails() {
  for (std::size_t log = 0; log < 2; ++log) {
    heads_[log].reset();
    TRY(tails_[log], partition_logs_[log]->tail(logs_[log].fence.last() + 1));
  }
  return {};
}

Checkpoint Replica::checkpoint() const {
  Checkpoint checkpoint{tables_.copy(), logs_};
  // A head has been read and not applied: it is read again.
  for (std::size_t log = 0; log < 2; ++log) {
    if (!heads_[log]) continue;
    Standing& standing = checkpoint.logs[log];
    const RecordHeader header = read_header(*heads_[log]).value();
    standing.fence = Fence(header.epoch, header.sequence - 1);
    standing.hash.reset();
    standing.closed = std::min(standing.closed, header.commit_time - 1);
  }
  return checkpoint;
}

Status Replica::follow() {
  while (true) {
    CHECK_OK(read_heads(nullptr));
    std::optional<std::size_t> ready;
    for (std::size_t log = 0; log < 2; ++log) {
      if (!heads_[log]) continue;
      // Standing behind its head, a log's closed time is that of the head.
      const Time other = logs_[1 - log].closed;
      if (logs_[log].closed < other || (logs_[log].closed == other && !heads_[1 - log])) ready = log;
    }
    if (!ready) return {};
    CHECK_OK(apply_head(*ready));
  }
}

Result<bool> Replica::follow_up_to(const Epochs& epochs) {
  while (true) {
    CHECK_OK(read_heads(&epochs));
    if (!heads_[0] && !heads_[1]) break;
    // Everything that there will ever be before these epochs is there: the earlier head is next.
    const bool second = !heads_[0] || (heads_[1] && logs_[1].closed < logs_[0].closed);
    CHECK_OK(apply_head(second ? 1 : 0));
  }
  return logs_[0].fence.epoch() == epochs[0] && logs_[1].fence.epoch() == epochs[1];
}

Status Replica::read_heads(const Epochs* until) {
  for (std::size_t log = 0; log < 2; ++log) CHECK_OK(read_head(log, until));
  return {};
}

/// Goes on to the next record that has an effect, and stands behind it before it is applied.
Status Replica::read_head(std::size_t log, const Epochs* until) {
  while (!heads_[log]) {
    if (until != nullptr && logs_[log].fence.epoch() >= (*until)[log]) return {};
    TRY(const std::optional<Bytes> record, tails_[log]->next());
    if (!record) return {};
    CHECK_OK(take(log, *record));
  }
  return {};
}

Status Replica::take(std::size_t log, Bytes record) {
  TRY(const RecordReader reader, RecordReader::open(record));
  const RecordHeader& header = reader.header();
  Standing& at = logs_[log];
  const bool effective = header.kind == RecordKind::kOperations || header.kind == RecordKind::kCatalog;
  if (!at.fence.admit(header)) {
    if (sabotage_ == Sabotage::kFence && effective) heads_[log].emplace(record.begin(), record.end());
    return {};
  }
  const bool chained = header.kind == RecordKind::kEpoch || !at.hash || *at.hash == header.previous_hash;
  if (!chained) return error(Code::DataModifiedByRepair, "the chain breaks at record ", header.sequence);
  at.hash = record_hash(record);
  if (header.kind == RecordKind::kEpoch) return {};  // Its time was drawn before its writer had read what lies before it.
  if (header.commit_time <= at.closed) return error(Code::DataModifiedByRepair, "time goes back at record ", header.sequence);
  at.closed = header.commit_time;
  if (effective) heads_[log].emplace(record.begin(), record.end());
  return {};
}

Status Replica::apply_head(std::size_t log) {
  const std::vector<std::uint8_t> record = std::move(*heads_[log]);
  heads_[log].reset();
  TRY(RecordReader reader, RecordReader::open(record));
  MemorySession session(tables_);
  Effects effects;
  while (true) {
    TRY(const std::optional<Operation> operation, reader.next());
    if (!operation) break;
    CHECK_OK(applier_.apply(session, *operation, *state_, effects));
  }
  session.commit();
  effects.count(reader.header().commit_time, 0);
  if (reader.header().kind == RecordKind::kCatalog) CHECK_OK(settle());
  judge_.state(node_, reader.header().log, reader.header().sequence, tables_.hash());
  return {};
}

void Replica::committed(const Position& position, RecordKind kind) {
  Standing& standing = logs_[static_cast<std::size_t>(position.log)];
  standing = {Fence(position.epoch, position.sequence), std::nullopt, position.commit_time};
  if (kind != RecordKind::kTick) judge_.state(node_, position.log, position.sequence, tables_.hash());
}

Status Replica::settle() {
  TRY(const CatalogState::Changes changes, state_->settle());
  for (const auto& unfilled : changes.unfilled) CHECK_OK(fill(tables_, unfilled.records, *unfilled.index));
  for (const TableId table : changes.dropped) CHECK_OK(tables_.drop_table(table));
  snapshot_ = state_->publish(++version_);
  return {};
}

Status Replica::check() {
  std::set<PartitionId> remembering;
  for (const PartitionSlot* slot : state_->slots()) {
    remembering.insert(slot->partition->id());
    remembering.insert(slot->inherits.begin(), slot->inherits.end());
  }
  for (const auto& [key, row] : tables_.rows(applier_tables_.retry)) {
    if (!remembering.contains(partition_of(bytes_of(key)))) {
      return error(Code::DataModifiedByRepair, "a retry row of a partition that is gone");
    }
    CHECK_OK(check_retry_row(bytes_of(row)));
  }
  MemorySession session(tables_);
  BasicIndexWriter<MemorySession> writer;
  for (const PartitionSlot* slot : state_->slots()) {
    const Growth counted = slot->partition->counters().total();
    const Growth measured = measure(*slot->partition, slot->min, end_of(*slot));
    if (counted.documents != measured.documents || counted.bytes != measured.bytes) {
      return error(Code::DataModifiedByRepair, "counters and documents disagree");
    }
    for (const auto& index : slot->indexes) {
      std::size_t entries = 0;
      for (const auto& [key, row] : tables_.rows(slot->partition->records())) {
        TRY(const auto presence, writer.check(session, *index, bytes_of(key), document_of(row)));
        if (presence.missing != 0) return error(Code::DataModifiedByRepair, "an index entry is missing");
        entries += static_cast<std::size_t>(presence.entries);
      }
      if (entries != tables_.rows(index->table).size()) {
        return error(Code::DataModifiedByRepair, "an index has entries of no document");
      }
    }
  }
  return {};
}

}  // namespace partita::simulation
