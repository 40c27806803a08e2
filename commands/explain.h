// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>

#include "commands/explain_partitions.h"
#include "commands/find_fan_out.h"
#include "commands/key_bounds.h"
#include "commands/leg_walks.h"
#include "commands/operation.h"
#include "commands/plan.h"
#include "query/plan/explain.h"

/// What commands share that can be explained: each says what it would walk over, and this tells the plan and, if it is
/// wanted, runs it for its figures.
namespace partita::commands {

enum class Verbosity : std::uint8_t {
  kQueryPlanner,       ///< The plan alone.
  kExecutionStats,     ///< It is run, and tells how that went.
  kAllPlansExecution,  ///< The same, and how each plan that there was to choose from does in a trial.
};

inline bool runs(Verbosity verbosity) { return verbosity != Verbosity::kQueryPlanner; }

/// A query whose plan is to be explained. Views are the request's.
struct ExplainedQuery {
  shards::Namespace ns;
  query::ExplainRequest shown = {};
  bson::Value hint = {};
  AskedParallelism asked = {};
  query::ExpressionContext context = {};  ///< Its values are somebody else's.
  PlanNeeds needs = {};
  KeyBounds bounds = {};
  bool disk_use = true;  ///< As it was asked for.
  /// The command looks at rows where they lie, as count and distinct do: told the number of legs, this says what is done with
  /// each row. Empty for what reads rows, and for a count.
  std::function<LegWalks::Look(std::size_t legs)> looks = {};
  /// Called for each row that comes out when the plan is run; may add to the figures.
  std::function<Status(bson::View document, query::PlanFigures& figures)> visit = {};
  /// Called behind the last row.
  std::function<void(query::PlanFigures& figures)> finish = {};
};

/// Adds queryPlanner and, as far as `verbosity` asks for it, executionStats. On a worker.
Status explain_query(Operation& operation, const ExplainedQuery& explained, Verbosity verbosity, bson::Writer& to);

/// Fails for what has no plan: the views in `config`.
Status check_explainable(Operation& operation, const shards::Namespace& ns);

/// The parts of it, for a query that is run in another way: see explain_pipeline.
void write_query_planner(const shards::Namespace& ns, const PlanChoice& choice, const query::ExplainRequest& shown,
                         const AskedParallelism& asked, bson::Writer& to);
/// The same, with plans whose branches are told apart.
inline PlanNeeds told_apart(PlanNeeds needs) {
  needs.apart = true;
  return needs;
}
/// Adds what was done for each branch, and in each ring of a walk to the nearest.
void take_apart(const std::vector<LegReport>& legs, query::PlanFigures& figures);
void write_execution_stats(const PlanChoice& choice, const query::ExplainRequest& shown, const RunFigures& figures,
                           Verbosity verbosity, bson::Writer& to);

/// executionSuccess, nReturned, executionTimeMillis and what was examined, of all of it.
void write_totals(const RunFigures& figures, bson::Writer& out);
/// The plan of one partition and those that were not taken: the same on all of them.
void write_plans(const PlanChoice& choice, const query::ExplainRequest& shown, bson::Writer& planner);
/// How plans have done in their trial, in the order of the candidates.
void write_tried(const PlanChoice& choice, const query::ExplainRequest& shown, std::span<const TrialFigures> tried, bson::Writer& stats);
/// How it went in one partition.
void write_leg_stats(const PlanChoice& choice, const query::ExplainRequest& shown, const LegReport& leg, std::int64_t returned,
                     bson::Writer& out);

/// Who explains: the end of every explanation.
void write_server_info(Operation& operation, bson::Writer& to);

}  // namespace partita::commands
