// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/moves/row_copy.h"

#include "shards/indexes/entries.h"
#include "shards/router/record_keys.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

/// Documents between two looks at whether to go on.
constexpr std::uint64_t kInterruptInterval = 64;
/// Nobody else writes into the tables, but the engine rolls transactions back when its cache is full.
constexpr int kAttempts = 100;

FailPoint rows_copied{"rowsCopied", "Some documents are in the tables of new partitions."};

bool is_passing(const Status& status) {
  return status.code() == Code::WriteConflict || status.code() == Code::TransactionTooLargeForCache;
}

/// Two documents have one claim, or one record key: it is an index that has them twice.
Status same_record(const Collection& target, const PartitionSlot& slot, bson::View document) {
  const bool by_id = slot.claims != kNoTable || target.sharding == nullptr || target.sharding->key.is_found_by_id();
  const std::string index = by_id ? "_id_" : default_index_name(target.sharding->key.pattern());
  return duplicate_id(target.ns.full(), index, document["_id"], target.collation.get());
}

}  // namespace

RowCopy::RowCopy(Engine& engine, const Collection& target, GoOn go_on, BuildProgress& progress)
    : engine_(engine), target_(target), go_on_(std::move(go_on)), progress_(progress) {}

Status RowCopy::look() { return looks_++ % kInterruptInterval == 0 ? go_on_() : Status(); }

Status RowCopy::in_transaction(const std::function<Status()>& body) {
  TRY(const SessionLease writer, SessionLease::take(engine_));
  writer_ = &*writer;
  for (int attempt = 1;; ++attempt) {
    effects_.clear();
    rows_ = 0;
    bytes_ = 0;
    TRY(Transaction transaction, Transaction::begin(*writer));
    Status status = body();
    if (status.ok()) status = transaction.commit(0);
    if (status.ok()) {
      effects_.count(0, 0);
      return rows_copied.hit();
    }
    if (!is_passing(status) || attempt == kAttempts) return status;
    transaction.roll_back();
    CHECK_OK(go_on_());
  }
}

/// Leaves the record key in key_.
Result<const PartitionSlot*> RowCopy::place(bson::View document) {
  key_.clear();
  CHECK_OK(append_record_key(target_, document, key_));
  ++rows_;
  bytes_ += document.size();
  return &target_.locate(key_.bytes());
}

Status RowCopy::add(bson::View document) {
  TRY(const PartitionSlot* slot, place(document));
  Status status = applier_.insert(*writer_, *slot, key_.bytes(), document, effects_);
  if (status.code() != Code::DuplicateKey) return status;
  return status.details().empty() ? same_record(target_, *slot, document) : duplicate_key(target_.ns.full(), status);
}

Status RowCopy::take_away(bson::View document) {
  TRY(const PartitionSlot* slot, place(document));
  TRY(Cursor at, writer_->cursor(slot->partition->records()));
  TRY(const bool there, at.find(key_.bytes()));
  if (!there) return error(Code::DataModifiedByRepair, "a document that was copied is not there");
  return applier_.remove(*writer_, *slot, at, key_.bytes(), document, effects_);
}

Status RowCopy::copy(Session& reader, TableId records) {
  std::vector<std::uint8_t> last;
  std::vector<std::uint8_t> next_last;
  bool more = true;
  const auto add_chunk = [&]() -> Status {
    TRY(Cursor rows, reader.cursor(records));
    if (!last.empty()) CHECK_OK(rows.bound(last, false, {}));
    while (!is_full()) {
      CHECK_OK(look());
      TRY(more, rows.next());
      if (!more) return {};
      CHECK_OK(add(bson::View::trusted(rows.value().data())));
      if (is_full()) next_last.assign(rows.key().begin(), rows.key().end());
    }
    return {};
  };
  while (more) {
    CHECK_OK(in_transaction(add_chunk));
    last.swap(next_last);
    progress_.done.fetch_add(rows_, std::memory_order_relaxed);
  }
  return {};
}

Status RowCopy::follow(Session& before, Session& after, TableId records, const std::set<std::string>& touched, Pass pass) {
  auto at = touched.begin();
  auto end = at;
  // Neither cursor stays where it was: the page that writers append to is split when it has grown, which nobody may look on
  // at, and all who come to it meanwhile try again and again.
  const auto take = [&](Cursor& rows, Bytes key, bson::Buffer& row) -> Result<bool> {
    row.clear();
    TRY(const bool there, rows.find(key));
    if (there) row.append(rows.value());
    rows.reset();
    return there;
  };
  const auto change = [&](Cursor& old_rows, Cursor& new_rows, Bytes key) -> Status {
    TRY(const bool was, take(old_rows, key, before_));
    TRY(const bool is, take(new_rows, key, after_));
    const bool same = was && is && std::ranges::equal(before_.bytes(), after_.bytes());
    if (same) return {};
    if (pass == Pass::kRetract) return was ? take_away(bson::View::trusted(before_.data())) : Status();
    return is ? add(bson::View::trusted(after_.data())) : Status();
  };
  const auto change_chunk = [&]() -> Status {
    TRY(Cursor old_rows, before.cursor(records));
    TRY(Cursor new_rows, after.cursor(records));
    for (end = at; end != touched.end() && !is_full(); ++end) {
      CHECK_OK(look());
      CHECK_OK(change(old_rows, new_rows, bytes_of(*end)));
    }
    return {};
  };
  for (; at != touched.end(); at = end) CHECK_OK(in_transaction(change_chunk));
  return {};
}

Status copy_rows(Engine& engine, std::span<const TableId> sources, const Collection& target) {
  // Counters of their own: those of the target say already what it shall hold.
  Collection filled;
  filled.ns = target.ns;
  filled.sharding = target.sharding;
  filled.partitions = target.partitions;
  for (PartitionSlot& slot : filled.partitions) {
    const Partition& there = *slot.partition;
    slot.partition = std::make_shared<Partition>(there.id(), there.collection(), there.records(), there.segment());
  }
  BuildProgress progress;
  const RowCopy::GoOn always = [] { return Status(); };
  RowCopy rows(engine, filled, always, progress);
  TRY(const SessionLease reader, SessionLease::take(engine));
  for (const TableId source : sources) {
    TRY(const Transaction moment, Transaction::begin(*reader));
    CHECK_OK(rows.copy(*reader, source));
  }
  for (std::size_t i = 0; i < filled.partitions.size(); ++i) {
    const Growth expected = target.partitions[i].partition->counters().total();
    const Growth copied = filled.partitions[i].partition->counters().total();
    if (copied.documents == expected.documents && copied.bytes == expected.bytes) continue;
    return error(Code::DataModifiedByRepair, "partition ", static_cast<std::uint32_t>(target.partitions[i].partition->id()), " of ",
                 target.ns.full(), " is left with ", copied.documents, " documents instead of ", expected.documents);
  }
  return {};
}

}  // namespace partita::shards
