// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"
#include "query/plan/walk_figures.h"
#include "query/sort/sort_figures.h"

namespace partita::query {

/// What becomes of the rows of a plan.
enum class PlanUse : std::uint8_t { kRows, kCount, kUpdate, kDelete };

/// What a query does with the rows of its plan, as far as explain tells.
struct ExplainRequest {
  bson::View filter = {};
  bson::View sort = {};
  bson::View projection = {};
  std::uint64_t skip = 0;
  std::uint64_t limit = 0;
  std::uint64_t sort_memory = std::uint64_t{100} << 20;  ///< That a sort may take.
  PlanUse use = PlanUse::kRows;
  bool answers_changed = false;  ///< findAndModify: the client gets the document that is updated or deleted.

  /// Whether the client gets the rows that come out.
  bool answers_rows() const { return use == PlanUse::kRows || answers_changed; }
};

/// How it went in one of the rings in which the nearest are looked for.
struct RingFigures {
  double least = 0;
  double most = 0;            ///< What is just as far away is in it.
  WalkFigures walk;           ///< Rows shown are those that lie in it, and match.
  std::optional<std::int64_t> returned = {};  ///< Nullopt where it was looked for in several partitions.
  std::shared_ptr<const bson::Document> bounds;  ///< Of the index, as explain shows them.
};

/// How it went when the plan was run: how many rows passed from one stage to the next.
struct PlanFigures {
  std::int64_t keys = 0;       ///< Looked at in an index.
  std::int64_t documents = 0;  ///< Looked at.
  std::int64_t matched = 0;    ///< Of these, passed the filter.
  std::int64_t skipped = 0;
  std::int64_t returned = 0;   ///< Came out behind skip and limit.
  bool exhausted = true;       ///< The scan came to its end.
  /// Of an update or a delete, which explain never carries out.
  std::int64_t modified = 0;
  std::int64_t upserted = 0;
  std::int64_t millis = 0;  ///< All stages are one loop: what it took.
  std::vector<WalkFigures> branches = {};  ///< Of a kUnion, where they are told apart.
  std::optional<SortFigures> sorted = {};  ///< Nullopt where several share the sorting.
  std::vector<RingFigures> rings = {};
};

/// Adds the stages of a plan as MongoDB's explain names them, the last one outermost: winningPlan: {stage: "FETCH",
/// inputStage: {stage: "IXSCAN", ...}}. With figures each stage also tells its own: executionStages.
void explain_plan(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request,
                  const PlanFigures* figures, std::string_view name, bson::Writer& out);

/// What the rows took that were sorted: totalDataSizeSorted, usedDisk, spills.
void explain_sorted(const SortFigures& sorted, bson::Writer& out);

/// The filter in one form whichever way it was written: {a: 1} is {a: {$eq: 1}}, several conditions are an $and.
void explain_filter(bson::View filter, std::string_view name, bson::Writer& out);
/// The same without conditions that are settled already; nothing where none is left.
void explain_rest(bson::View filter, std::span<const FilterNode* const> settled, std::string_view name, bson::Writer& out);

}  // namespace partita::query
