// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <set>

#include "shards/catalog/collection.h"
#include "shards/indexes/build_progress.h"
#include "shards/log/applier.h"
#include "shards/snapshot/read_point.h"

namespace partita::shards {

/// Writes rows of one set of tables into the partitions of a target, which has a key and partitions of its own: where a
/// document goes, and under which record key, the target says. Nobody else writes into the target's tables meanwhile, nor
/// reads them; what is written carries no time, and is not in the log. What the target then holds its partitions' counters
/// say. Fails with what is wrong with a document: ShardKeyNotFound for an array in the key, DuplicateKey where two
/// documents meet in a unique index or in their record key. One thread.
class RowCopy {
 public:
  /// Asked often; a failure ends the copying with that failure.
  using GoOn = std::function<Status()>;
  RowCopy(Engine& engine, const Collection& target, GoOn go_on, BuildProgress& progress);

  /// All rows of a table, as the reader sees them.
  Status copy(Session& reader, TableId records);
  /// One half of what leads from the documents of one moment to those of another: first all old ones go, then the new ones
  /// come, for values of unique indexes may have moved from one to another.
  enum class Pass : std::uint8_t { kRetract, kExtend };
  Status follow(Session& before, Session& after, TableId records, const std::set<std::string>& touched, Pass pass);

 private:
  Status in_transaction(const std::function<Status()>& body);
  Result<const PartitionSlot*> place(bson::View document);
  Status add(bson::View document);
  Status take_away(bson::View document);
  bool is_full() const { return rows_ >= kMostRows || bytes_ >= kMostBytes; }
  Status look();

  /// To an engine transaction: enough to spread its cost, few enough not to fill the cache with one.
  static constexpr int kMostRows = 1000;
  static constexpr std::int64_t kMostBytes = 1 << 20;

  Engine& engine_;
  const Collection& target_;
  const GoOn go_on_;
  BuildProgress& progress_;
  Applier applier_{ApplierTables{}, Applier::Twins::kTake};
  Effects effects_;
  bson::Buffer key_;
  bson::Buffer before_;
  bson::Buffer after_;
  Session* writer_ = nullptr;
  int rows_ = 0;            ///< In this transaction.
  std::int64_t bytes_ = 0;  ///< The same.
  std::uint64_t looks_ = 0;
};

/// What replay does: the rows of tables that nobody writes to, into new partitions whose counters say how much each must
/// get. Copies are not in the log; they are made again from tables that stand as they stood then.
Status copy_rows(Engine& engine, std::span<const TableId> sources, const Collection& target);

}  // namespace partita::shards
