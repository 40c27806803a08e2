// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/moves/row_copy.h"
#include "shards/snapshot/follower.h"
#include "shards/snapshot/pursuit.h"

namespace partita::shards {

/// Copies neighbouring partitions of a collection, which make up whole segments, into new ones while they are written to:
///
///     run()      the documents as they are at one moment; then, in rounds that grow shorter (see Pursuit), those that the
///                log names between that moment and a later one
///     finish()   the last round, with all writers kept out
///
/// After each step the new tables hold exactly the documents of one moment, so that two that meet in one place are two that
/// were there together. One thread. Until the end the engine keeps the versions of documents that are still to be seen.
class PartitionCopy {
 public:
  /// The target must outlive it. `progress` may be nullptr.
  PartitionCopy(Store& store, std::shared_ptr<const Collection> source, Collection::Run places, const Collection& target,
                RowCopy::GoOn go_on, BuildProgress* progress);

  /// Once it is hurried the rounds end, however long the last one will be.
  Status run(const std::atomic<bool>& hurried);
  /// One round more.
  Status approach() { return catch_up().status(); }
  /// About how many records the log holds that have not been followed, whoever's they are.
  Sequence behind() const { return follower_.behind(); }
  /// Fails too when the new partitions do not hold just what the old ones do.
  Status finish();

 private:
  Result<std::size_t> catch_up();
  Status follow(RowCopy::Pass pass);
  std::span<const PartitionSlot> sources() const;

  const std::shared_ptr<const Collection> source_;
  const Collection::Run places_;
  const Collection& target_;
  std::optional<Pursuit> pursuit_;
  const RowCopy::GoOn go_on_;
  BuildProgress own_progress_{.work = BuildProgress::Work::kPartitions};  ///< Where nobody wants to know.
  BuildProgress& progress_;
  RowCopy rows_;
  Follower follower_;  ///< The new tables stand at what it has seen.
};

}  // namespace partita::shards
