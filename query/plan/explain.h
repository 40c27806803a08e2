// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "query/plan/plan.h"

namespace partita::query {

/// What a query does with the rows of its plan, as far as explain tells.
struct ExplainRequest {
  bson::View filter;
  bson::View sort;
  bson::View projection;
  std::uint64_t skip = 0;
  std::uint64_t limit = 0;
};

/// Adds the stages of a plan as MongoDB's explain names them, the last one outermost: winningPlan: {stage: "FETCH",
/// inputStage: {stage: "IXSCAN", ...}}.
void explain_plan(const Plan& plan, const PlanRequest& planned, const ExplainRequest& request, std::string_view name,
                  bson::Writer& out);

}  // namespace partita::query
