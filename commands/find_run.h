// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/execution.h"
#include "commands/shown_documents.h"
#include "query/match/matcher.h"
#include "query/plan/explain.h"
#include "query/sort/sorter.h"
#include "shards/router/fan_out.h"

namespace partita::commands {

/// What a find asks for, parsed.
struct FindQuery {
  query::Matcher matcher;
  ShownDocuments shown = {};
  query::SortSpec sort = {};
  std::uint64_t skip = 0;
  std::uint64_t limit = 0;  ///< 0: all.
  bool disk_use = true;     ///< What does not fit into memory may be sorted by way of files.
};

/// What was done on one leg of a query, for explain.
struct LegReport {
  shards::LegSpan span;
  shards::LegFigures figures;
  std::vector<query::WalkFigures> branches = {};  ///< Of its plan, where they are counted by themselves.
  std::vector<query::RingFigures> rings = {};     ///< Of a walk to the nearest.
};

/// A find being answered, whichever way its rows come: skips, projects, and counts them out into batches.
class FindRun : public Execution {
 public:
  bool exhausted() const override { return exhausted_ && !holding_; }
  std::string plan_summary() const override;

  /// For explain, before the first batch: what it costs something to count is counted too.
  virtual void tell_apart() {}
  /// For explain: documents that passed the filter, that `skip` left out, and whether the walk came to its end.
  virtual std::int64_t matched() const = 0;
  std::int64_t skipped() const { return static_cast<std::int64_t>(skipped_); }
  virtual bool scanned_to_the_end() const = 0;
  /// Each leg by itself; none where they were not told apart.
  virtual std::vector<LegReport> legs() const { return {}; }
  /// What each branch of the plan has done, over all legs; none where that was not counted.
  virtual std::vector<query::WalkFigures> branches() const { return {}; }
  /// What sorting took; all zero where nothing was sorted.
  virtual query::SortFigures sorted() const { return {}; }
  /// Threads that were at work at once.
  virtual unsigned threads() const { return 1; }

 protected:
  explicit FindRun(FindQuery query) : query_(std::move(query)) {}

  const FindQuery& query() const { return query_; }
  /// The document that found no room in the last batch.
  void begin(BatchFill& fill);
  /// The next document in the answer's order. False when no more shall come in this batch.
  Result<bool> hand_on(BatchFill& fill, bson::View document);
  void end() { exhausted_ = true; }
  bool ended() const { return exhausted_; }
  std::size_t held_memory() const { return holding_ ? held_.view().size() : 0; }
  /// Rows that have to be found, for all that is asked for; 0: all there are.
  std::uint64_t needed() const;
  /// For each of so many sorters that share the work.
  query::SorterOptions sorter_options(Operation& operation, std::size_t sorters) const;

 private:
  /// False when it does not fit any more.
  Result<bool> emit(BatchFill& fill, bson::View document);
  virtual const shards::ScanOrder& order() const = 0;

  FindQuery query_;
  std::uint64_t skipped_ = 0;
  std::uint64_t returned_ = 0;
  bool exhausted_ = false;
  ShownDocuments::Scratch scratch_;
  bson::Buffer projected_;
  bson::Document held_;  ///< A document that did not fit into the last batch.
  bool holding_ = false;
};

}  // namespace partita::commands
