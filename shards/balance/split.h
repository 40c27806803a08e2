// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/balance/job.h"
#include "shards/catalog/claim.h"
#include "shards/catalog/exclusion.h"

namespace partita::shards {

class CutCount;

/// Divides one partition in two. That is a change of the map alone: the parts share the parent's tables.
///
///     find the cut     a walk beside the writers, whose changes before it are counted from then on
///     write the plan   cut and ids of the parts, in a record of their own
///     publish          writers of the parent are kept out; one record replaces the parent's row by those of the parts,
///                      which say exactly what they begin with; writers go on by the new map
///
/// Before the last record nothing has happened, behind it everything has. One thread; each is used once.
class Split {
 public:
  /// `at`: where to cut; else in the middle.
  Split(Store& store, const Uuid& collection, PartitionId partition, std::optional<std::string> at, BalanceJob::GoOn go_on,
        BalanceJob& job);

  /// CannotSplit for a partition that holds a single logical key (a single document, where keys are divided too),
  /// ConflictingOperationInProgress when another change of the collection has come in between, BadValue when there is no such
  /// partition any more, or the place is not one where it may be cut.
  Result<BalanceOutcome> run();
  /// What run() would do.
  Result<BalanceOutcome> preview();

 private:
  Status claim();
  Status find(CutCount& count);
  Status write_plan(const CutCount& count);
  Status abandon_plan();
  Result<BalanceOutcome> publish(CutCount& count);
  BalanceOutcome parts(const CutCount& count) const;

  Store& store_;
  const Uuid uuid_;
  const PartitionId partition_;
  const std::optional<std::string> at_;
  const BalanceJob::GoOn interrupted_;
  BalanceJob::GoOn go_on_;  ///< Asks the claim too.
  BalanceJob& job_;
  Catalog::Claim claim_;
  const PartitionSlot* slot_ = nullptr;
  std::vector<PartitionId> makes_;
};

}  // namespace partita::shards
