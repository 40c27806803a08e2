// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain_pipeline.h"

#include <algorithm>

#include "commands/aggregate_execution.h"
#include "commands/explain_partitions.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/geo_near_key.h"
#include "commands/source_stages.h"
#include "query/stages/geo_near.h"
#include "query/stages/limit_skip.h"
#include "query/stages/move_matches.h"
#include "query/stages/sort.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using std::chrono::steady_clock;
using Told = AggregateExecution::Told;
using Counts = AggregateExecution::StepsFigures;

std::int64_t millis(std::chrono::nanoseconds time) { return std::chrono::duration_cast<std::chrono::milliseconds>(time).count(); }

/// A pipeline that is explained, and how it went if it was run.
struct Explained {
  bson::View stages;
  Verbosity verbosity;
  Told told;
  RunFigures figures = {};
};

/// A stage as it was written; a $sort tells its order under a name of its own, and how many rows it keeps.
void write_stage(const bson::Field& stage, const query::PipelinePart::Step* step, bson::Writer& out) {
  if (stage.name == "$sort") {
    bson::Writer sort = out.document(stage.name);
    sort.add("sortKey", stage.value);
    const auto* plan = step == nullptr ? nullptr : dynamic_cast<const query::SortPlan*>(step->plan);
    if (plan != nullptr && plan->limit() != 0) add_number(sort, "limit", static_cast<std::int64_t>(plan->limit()));
  } else if (stage.name == "$group" && step != nullptr && step->role == query::Role::kCombine) {
    bson::Writer group = out.document(stage.name);
    group.elements(stage.value.as_document());
    group.add("$doingMerge", true);
  } else {
    out.add(stage);
  }
}

bson::Field stage_at(bson::View stages, std::size_t place) {
  auto stage = stages.begin();
  while (place-- > 0) ++stage;
  return *stage->value.as_document().begin();
}

/// A step by the words of its stage. One that the pipeline has made by itself is a $limit that reaches through a $skip.
void write_step(const Explained& explained, const query::PipelinePart::Step& step, bson::Writer& out) {
  const auto& all = explained.told.whole.steps;
  const auto same = [&](const query::PipelinePart::Step& one) { return one.plan == step.plan; };
  const auto found = std::ranges::find_if(all, same);
  if (found != all.end()) {
    const std::size_t place = explained.told.done_by_walk + static_cast<std::size_t>(found - all.begin());
    return write_stage(stage_at(explained.stages, place), &step, out);
  }
  const auto* limit = dynamic_cast<const query::LimitPlan*>(step.plan);
  if (limit != nullptr) add_number(out, "$limit", static_cast<std::int64_t>(limit->limit()));
}

/// `passed` says how many rows each step handed on; it is not told of what was not run.
void write_steps(const Explained& explained, const query::PipelinePart& part, const Counts& passed, bson::ArrayWriter& list) {
  for (std::size_t i = 0; i < part.steps.size(); ++i) {
    bson::Writer out = list.document();
    write_step(explained, part.steps[i], out);
    if (!runs(explained.verbosity)) continue;
    out.elements(passed[i].told->view());
    add_number(out, "nReturned", passed[i].output.rows);
  }
}

/// Stages that are done by the walk.
void write_walked(const Explained& explained, bson::ArrayWriter& list) {
  for (std::size_t i = 0; i < explained.told.done_by_walk; ++i) {
    bson::Writer out = list.document();
    write_stage(stage_at(explained.stages, i), nullptr, out);
  }
}

/// Runs it to its end and throws away what it yields.
Result<std::int64_t> run(Operation& operation, AggregateExecution& execution) {
  std::int64_t rows = 0;
  while (!execution.exhausted()) {
    bson::Buffer bytes;
    bson::ArrayWriter batch(bytes);
    CHECK_OK(execution.fill(operation, batch, {.documents = INT64_MAX}));
    rows += batch.count();
  }
  return rows;
}

/// A pipeline that begins with what the server knows: its rows are there, without a plan.
Status explain_made(Operation& operation, std::vector<bson::Document> made, const ExplainedPipeline& asked, Verbosity verbosity,
                    bson::Writer& to) {
  const bson::View stages = asked.stages;
  bson::Document rest = behind_source_stage(stages);
  TRY(query::Pipeline pipeline, query::Pipeline::parse(rest.view(), asked.context));
  AggregateExecution execution(std::move(rest), std::move(pipeline), &operation.server().store.run_files());
  execution.count_rows();
  const auto rows = static_cast<std::int64_t>(made.size());
  execution.open(std::move(made));
  if (runs(verbosity)) CHECK_OK(run(operation, execution).status());
  Explained explained{.stages = stages, .verbosity = verbosity, .told = execution.told()};
  explained.told.done_by_walk = 1;  // Nobody walks, but the first stage is no step.
  to.add("explainVersion", "1");
  bson::ArrayWriter list = to.array("stages");
  {
    bson::Writer first = list.document();
    write_stage(stage_at(stages, 0), nullptr, first);
    if (runs(verbosity)) add_number(first, "nReturned", rows);
  }
  write_steps(explained, explained.told.whole, explained.told.each.front(), list);
  return {};
}

/// A walk over the collection, told as $cursor, and the stages behind it.
void write_cursor(const ExplainedQuery& query, const PlanChoice& choice, const Explained& explained, bson::Writer& to) {
  const bool ran = runs(explained.verbosity);
  bson::ArrayWriter list = to.array("stages");
  {
    bson::Writer stage = list.document();
    {
      const bool near = choice.request().filter->near != nullptr;
      bson::Writer cursor = stage.document(near ? "$geoNearCursor" : "$cursor");
      write_query_planner(query.ns, choice, query.shown, query.asked, cursor);
      if (ran) write_execution_stats(choice, query.shown, explained.figures, explained.verbosity, cursor);
    }
    if (ran) add_number(stage, "nReturned", explained.figures.answered);
  }
  write_steps(explained, explained.told.whole, explained.told.each.front(), list);
}

/// Which stages run on each partition, and which over what these send.
void write_split(const ExplainedQuery& query, const Explained& explained, bson::Writer& to) {
  if (explained.told.split == nullptr) return to.add("splitPipeline", bson::Value::null());
  const query::PipelineSplit& split = *explained.told.split;
  to.add("mergeType", "mongos");
  bson::Writer out = to.document("splitPipeline");
  Explained unmeasured{.stages = explained.stages, .verbosity = Verbosity::kQueryPlanner, .told = explained.told};
  {
    bson::ArrayWriter each = out.array("shardsPart");
    write_walked(explained, each);
    write_steps(unmeasured, split.each, {}, each);
  }
  bson::ArrayWriter merge = out.array("mergerPart");
  merge.document().document("$mergeCursors").add("nss", query.ns.full());
  write_steps(explained, split.merge, explained.told.merge, merge);
}

/// A partition in a shard's place: its walk, and the stages that run there.
void write_leg(Operation& operation, const ExplainedQuery& query, const PlanChoice& choice, const Explained& explained,
               std::size_t leg, bson::Writer out) {
  const bool ran = runs(explained.verbosity);
  const LegReport& report = explained.told.legs[leg];
  const query::PipelinePart& part = explained.told.split == nullptr ? explained.told.whole : explained.told.split->each;
  out.add("host", host_and_port(operation.server().settings.net.port));
  out.add("explainVersion", "1");
  const auto write_walk = [&](bson::Writer& to) {
    {
      bson::Writer planner = to.document("queryPlanner");
      planner.add("namespace", query.ns.full());
      planner.add("indexFilterSet", false);
      write_plans(choice, query.shown, planner);
    }
    if (!ran) return;
    bson::Writer stats = to.document("executionStats");
    write_leg_stats(choice, query.shown, report, report.figures.matched, stats);
  };
  if (part.steps.empty()) return write_walk(out);
  bson::ArrayWriter list = out.array("stages");
  {
    bson::Writer stage = list.document();
    {
      bson::Writer cursor = stage.document("$cursor");
      write_walk(cursor);
    }
    if (ran) add_number(stage, "nReturned", report.figures.matched);
  }
  write_steps(explained, part, explained.told.each[leg], list);
}

/// The form of MongoDB's router, with partitions in the place of its shards, and what there is to say of these beside it.
void write_divided(Operation& operation, const ExplainedQuery& query, const PlanChoice& choice, const Explained& explained,
                   bson::Writer& to) {
  write_split(query, explained, to);
  {
    bson::Writer shards = to.document("shards");
    for (std::size_t leg = 0; leg < explained.told.legs.size(); ++leg) {
      const std::string name = leg_name(*choice.collection(), explained.told.legs[leg].span);
      write_leg(operation, query, choice, explained, leg, shards.document(name));
    }
  }
  write_targets(choice, query.asked, to);
  if (!runs(explained.verbosity)) return;
  bson::Writer stats = to.document("executionStats");
  write_totals(explained.figures, stats);
  write_leg_reports(choice, explained.figures, stats);
  if (explained.verbosity == Verbosity::kAllPlansExecution) write_tried(choice, query.shown, explained.figures.tried, stats);
}

void take_figures(const PlanChoice& choice, Explained& explained) {
  RunFigures& figures = explained.figures;
  const bool by_key = choice.collection() != nullptr && choice.plan().by_key();
  for (LegReport& leg : explained.told.legs) {
    if (!by_key) leg.figures.keys = 0;
    figures.plan.keys += leg.figures.keys;
    figures.plan.documents += leg.figures.documents;
    figures.plan.matched += leg.figures.matched;
  }
  take_apart(explained.told.legs, figures.plan);
  figures.plan.returned = figures.plan.matched;
  figures.plan.exhausted = explained.told.exhausted;
  figures.legs = explained.told.legs;
  figures.threads = explained.told.threads;
}

/// As they are run, and as they are told, one for each step.
struct Stages {
  bson::Document parsed;
  bson::View shown;
  std::shared_ptr<FoundMeta> beside;
};

/// Runs as the command would: with its degree, and its stages where they would run.
Status explain_walk(Operation& operation, query::Pipeline pipeline, Stages stages, const ExplainedQuery& query,
                    Verbosity verbosity, bson::Writer& to) {
  shards::Store& store = operation.server().store;
  const auto collection = store.catalog().snapshot().share(query.ns.full());
  TRY(const query::Matcher matcher, query::Matcher::parse(query.shown.filter, query.context, query::FilterUse::kQuery));
  const query::SortSpec sort = pipeline.leading_sort() == nullptr ? query::SortSpec() : *pipeline.leading_sort();
  TRY(PlanChoice choice, PlanChoice::make(collection, matcher.tree(), sort, query.hint, told_apart(needs_of(pipeline))));
  if (collection != nullptr) CHECK_OK(choice.settle(operation.plan_asker(), matcher));
  AggregateExecution execution(std::move(stages.parsed), std::move(pipeline), &store.run_files(), std::move(stages.beside));
  execution.count_rows();
  if (collection == nullptr) {
    execution.open({});
  } else {
    CHECK_OK(execution.open(operation.plan_asker(), collection, query.hint, query.asked.over(*collection)));
  }
  const SteadyTime start = steady_clock::now();
  std::int64_t rows = 0;
  if (runs(verbosity)) {
    TRY(rows, run(operation, execution));
  }
  Explained explained{.stages = stages.shown, .verbosity = verbosity, .told = execution.told()};
  take_figures(choice, explained);
  if (verbosity == Verbosity::kAllPlansExecution) {
    TRY(explained.figures.tried, choice.try_again(store, matcher));
  }
  explained.figures.millis = explained.figures.plan.millis = millis(steady_clock::now() - start);
  const bool divided = is_divided(collection.get());
  explained.figures.answered = divided ? rows : explained.figures.plan.matched;
  to.add("explainVersion", "1");
  divided ? write_divided(operation, query, choice, explained, to) : write_cursor(query, choice, explained, to);
  return {};
}

}  // namespace

Status explain_pipeline(Operation& operation, const shards::Namespace& ns, const ExplainedPipeline& asked,
                        Verbosity verbosity, bson::Writer& to) {
  TRY(auto made, run_source_stage(operation, ns, asked.stages));
  if (made) return explain_made(operation, std::move(*made), asked, verbosity, to);
  CHECK_OK(check_explainable(operation, ns));
  const shards::Collection* collection = operation.server().store.catalog().snapshot().find(ns.full());
  TRY(bson::Document stages, settle_geo_near(collection, ns, asked.stages));
  query::ExpressionContext context = asked.context;
  const auto beside = std::make_shared<FoundMeta>(FoundMeta::Knows{});
  context.beside = beside;
  TRY(query::Pipeline pipeline, query::parse_with_moved_matches(stages, context));
  ExplainedQuery query{.ns = ns, .hint = asked.hint, .asked = asked.asked, .context = asked.context};
  const bool filters = pipeline.leading_filter() != nullptr;
  const bson::Document filter(filters ? pipeline.leading_filter()->tree().filter.view() : bson::View());
  query.shown.filter = filter.view();
  const bson::Document written = query::GeoNearKey::written_out(stages.view(), filter.view());
  const bool walk_is_all = written.view().count() == (filters ? 1U : 0U);
  if (walk_is_all && !is_divided(collection)) return explain_query(operation, query, verbosity, to);
  return explain_walk(operation, std::move(pipeline), {std::move(stages), written.view(), beside}, query, verbosity, to);
}

}  // namespace partita::commands
