// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "shards/indexes/build_progress.h"
#include "shards/indexes/entries.h"

namespace partita::shards {

/// Fills the empty tables of indexes with the entries of a table's documents: all are collected and sorted, in bounded
/// memory, then written in order, which takes half the time of writing them as they come, and makes full pages.
class IndexFill {
 public:
  /// Asked often; a failure ends the work with that failure.
  using GoOn = std::function<Status()>;
  using Indexes = std::span<const std::shared_ptr<PartitionIndex>>;
  IndexFill(TableId records, Indexes indexes, query::ExternalSort::Options memory, GoOn go_on, BuildProgress& progress);

  /// The documents are those that `reader` sees. Fails with DuplicateKey, as IndexWriter::insert() does.
  Status run(Session& reader, Session& writer);

 private:
  Status collect(Session& reader);
  Status load(Session& writer, PartitionIndex& index, query::ExternalSort& rows);

  const TableId records_;
  const Indexes indexes_;
  const GoOn go_on_;
  BuildProgress& progress_;
  IndexWriter entries_{IndexWriter::Twins::kTake};
  std::vector<query::ExternalSort> rows_;  ///< Of each index.
};

}  // namespace partita::shards
