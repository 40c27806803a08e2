// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/draft.h"
#include "shards/log/log.h"

namespace partita::shards {

class Store;

/// One atomic change on its way into the log: every operation is drafted into a record and applied in one engine
/// transaction; commit() takes the record's position, hands it to the log, and makes all of it visible at once.
/// Left without commit(), nothing has happened. Belongs to one thread, which has one at a time: its buffers are the
/// thread's, so that a write allocates nothing.
class WriteUnit {
 public:
  WriteUnit(Store& store, Session& session);
  ~WriteUnit();
  WriteUnit(const WriteUnit&) = delete;
  WriteUnit& operator=(const WriteUnit&) = delete;

  Status begin(RecordKind kind = RecordKind::kOperations, LogId log = kDataLog);

  /// No logical key may grow past so many bytes: PartitionKeyTooLarge. Where it cannot be told before the key has been
  /// counted, a change fails with StaleConfig and uncounted() says which; it is to be counted and all begun again.
  void limit_logical_keys(std::int64_t bytes) { logical_limit_ = bytes; }
  struct Uncounted {
    std::shared_ptr<Partition> partition;
    std::string key;
  };
  std::optional<Uncounted> take_uncounted() { return std::exchange(uncounted_, std::nullopt); }

  // What may be changed, each as Draft has it.
  Status insert(const PartitionSlot& slot, Bytes key, bson::View document) {
    CHECK_OK(check_room(slot, key, document.size()));
    return buffers_.draft.insert(session_, {&slot, key, document});
  }
  /// Many: into their tables in the order in which `order` has their places, into the record in that in which they are
  /// given. See KeyOrder.
  Status insert_all(std::span<const NewDocument> documents, std::span<const std::uint32_t> order);
  Status update(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before, bson::View after) {
    CHECK_OK(check_room(slot, key, std::int64_t{after.size()} - before.size()));
    return buffers_.draft.update(session_, slot, at, key, before, after);
  }
  Status remove(const PartitionSlot& slot, Cursor& at, Bytes key, bson::View before) {
    return buffers_.draft.remove(session_, slot, at, key, before);
  }
  Result<EarlierStatement> find_statement(const PartitionSlot& slot, const StatementId& id) {
    return buffers_.draft.find_statement(session_, slot, id);
  }
  Status note_retry(PartitionId partition, const StatementId& id, const DoneStatements& done,
                    Begun begun = Begun::kUnknown);
  Status copy_retry_row(Bytes key, Bytes row) { return buffers_.draft.copy_retry_row(session_, key, row); }
  Status erase_retry_row(Bytes key) { return buffers_.draft.erase_retry_row(session_, key); }
  Status put_catalog_row(std::string_view key, bson::View row) {
    return buffers_.draft.put_catalog_row(session_, key, row);
  }
  Status erase_catalog_row(std::string_view key) { return buffers_.draft.erase_catalog_row(session_, key); }
  Status retire_catalog_row(std::string_view key) { return buffers_.draft.retire_catalog_row(session_, key); }

  /// What it has done so far to a partition's size, which that does not count yet.
  Growth growth_of(const Partition& partition) const { return buffers_.draft.effects().growth_of(partition); }

  bool empty() const { return buffers_.draft.record().empty(); }
  std::size_t size() const { return buffers_.draft.record().size(); }
  Session& session() { return session_; }

  /// The time at which it became visible. On failure nothing has happened; WriteConflict: do it again from the start.
  Result<Time> commit();
  void roll_back();

 private:
  struct Buffers {
    Draft draft;
    bool in_use = false;
  };
  static Buffers& thread_buffers();
  /// A partition that is well below the limit has no key that is not: that is all, nearly always.
  Status check_room(const PartitionSlot& slot, Bytes key, std::int64_t growth) {
    if (slot.sharding == nullptr || growth <= 0) return {};
    const std::int64_t added = buffers_.draft.effects().grown() + growth;
    const bool far = slot.partition->activity().is_far(slot.partition->counters(), added, logical_limit_);
    return far ? Status() : check_logical_key(slot, key, growth);
  }
  Status check_logical_key(const PartitionSlot& slot, Bytes key, std::int64_t growth);

  Store& store_;
  Session& session_;
  std::optional<Transaction> transaction_;
  Buffers& buffers_;
  std::int64_t logical_limit_ = INT64_MAX;
  std::optional<Uncounted> uncounted_;
};

}  // namespace partita::shards
