// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cassert>
#include <optional>
#include <span>

#include "shards/catalog/validation.h"
#include "shards/log/write_unit.h"
#include "shards/store.h"

namespace partita::shards {

/// How a write runs and when it gives up.
struct WriteOptions {
  bool create_collection = false;  ///< A first insert or upsert makes its collection.
  /// On an io thread a write must not wait: it fails with LockBusy instead, having changed nothing, and is done again on
  /// a worker.
  bool may_block = true;
  bool skips_validation = false;   ///< Documents need not meet the collection's validator.
  /// How large a logical key may become.
  std::int64_t logical_limit_bytes = INT64_MAX;
  /// Asked between attempts; null where nobody interrupts.
  std::function<Status()> interrupted;
};

/// What the body of a write works with: one attempt.
class WriteAttempt {
 public:
  WriteAttempt(Store& store, Session& session, const Collection& collection, const WriteOptions& options)
      : unit_(store, session), collection_(collection), options_(options), clock_(store.clock()) {
    unit_.limit_logical_keys(options.logical_limit_bytes);
  }

  const Collection& collection() const { return collection_; }
  /// Whether a document that is new, or has been changed, meets what the collection's user demands.
  Status validate(bson::View document) const {
    return is_validated() ? collection_.validation->check(document, clock_) : Status();
  }
  Status validate_change(bson::View before, bson::View after) const {
    return is_validated() ? collection_.validation->check_change(before, after, clock_) : Status();
  }
  WriteUnit& unit() { return unit_; }
  Session& session() { return unit_.session(); }
  /// The partition of a record key, with its gate passed (once): before anything of it is written or read for writing.
  Result<const PartitionSlot*> enter(Bytes record_key);
  Status enter(const PartitionSlot& slot);
  /// The same for a new document, whose record key is appended to `key`.
  Result<const PartitionSlot*> enter_new(bson::View document, bson::Buffer& key);
  /// Inserts a document. Into a capped collection it makes room for it: the oldest documents go, but never this one.
  Status insert(const PartitionSlot& slot, Bytes record_key, bson::View document) {
    CHECK_OK(unit_.insert(slot, record_key, document));
    return collection_.capped ? remove_oldest(slot, record_key) : Status();
  }
  /// Many at once, into a collection that is not capped: see WriteUnit.
  Status insert_all(std::span<const NewDocument> documents, std::span<const std::uint32_t> order) {
    assert(!collection_.capped);
    return unit_.insert_all(documents, order);
  }
  /// It has been committed.
  void committed();
  /// Somebody waits for this attempt to end, to close a partition that it is in.
  bool is_awaited() const;
  /// Somebody soon will: see Announcement.
  bool is_announced() const;
  /// The partition that was closed when the attempt wanted to enter it; else nullptr.
  const std::shared_ptr<Partition>& closed() const { return closed_; }

 private:
  bool is_validated() const { return collection_.validation != nullptr && !options_.skips_validation; }
  Status remove_oldest(const PartitionSlot& slot, Bytes newest);

  WriteUnit unit_;
  const Collection& collection_;
  const WriteOptions& options_;
  const HybridClock& clock_;
  std::vector<std::pair<const Partition*, Inside>> inside_;
  std::shared_ptr<Partition> closed_;
  std::string oldest_;  ///< Of a capped collection: this attempt has left no record below that key.
};

/// Runs `body(WriteAttempt&) -> Status` and commits what it has written, all or nothing. Again from the start when
/// another writer was faster (WriteConflict, with growing pauses) or the collection has changed under it. The body must
/// therefore set everything that it reports anew. NamespaceNotFound when there is no collection and none may be made.
Status write(Store& store, const Namespace& ns, const WriteOptions& options,
             const std::function<Status(WriteAttempt&)>& body);

}  // namespace partita::shards
