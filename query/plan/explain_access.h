// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/explain.h"
#include "query/plan/explain_text.h"

namespace partita::query {

/// One plan being told: what all its stages draw on.
struct Telling {
  const Plan& plan;
  const PlanRequest& planned;
  const ExplainRequest& request;
  const PlanFigures* figures;

  bool is_union() const { return plan.access == Plan::Access::kUnion; }
  /// The rows are entries of indexes, of some branches at least.
  bool by_index() const {
    if (is_union()) return std::ranges::any_of(plan.branches, [&](const Plan& branch) { return Telling{branch, planned, request, figures}.by_index(); });
    return plan.access == Plan::Access::kIndexScan && !index().clustered;
  }
  /// Somebody reads the documents that the entries point at.
  bool fetches() const { return by_index() && !plan.covered && !(request.use == PlanUse::kCount && plan.exact); }
  bool clustered() const { return plan.access == Plan::Access::kIndexScan && index().clustered; }
  bool by_near() const { return plan.access == Plan::Access::kIndexScan && planned.filter->near != nullptr; }
  bool by_text() const { return is_by_text(plan, planned); }
  const IndexDescription& index() const { return planned.indexes[plan.index]; }
};

/// The filter, where rows have to be asked.
void write_filter(const Telling& telling, bson::Writer& out);

/// How many rows came out of a stage that had so many coming in. A unit of work is a row that was looked at, or finding that
/// there are no more.
struct Passed {
  std::int64_t in = 0;
  std::int64_t out = 0;
};
void write_passed(const Passed& passed, const PlanFigures& figures, bson::Writer& out);

/// The innermost stage, where rows come from: "IXSCAN", "COLLSCAN", "OR", ...
std::string_view access_name(const Telling& telling);
void write_access(const Telling& telling, bson::Writer& out);
void write_access_figures(const Telling& telling, bson::Writer& out);
/// What an index is that is walked over: keyPattern, indexName, isMultiKey ...
void write_index(const Telling& telling, bson::Writer& out);
/// {a: ["[1, 1]"], b: ["[MinKey, MaxKey]"]}
void write_bounds(const Plan& plan, const IndexDescription& index, bson::Writer& out);

}  // namespace partita::query
