// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/explain_pipeline.h"

#include <algorithm>

#include "commands/server.h"
#include "commands/source_stages.h"
#include "query/stages/pipeline.h"
#include "shards/router/leg_scan.h"
#include "shards/store.h"
#include "wire/bson/narrow_number.h"

namespace partita::commands {
namespace {

using std::chrono::steady_clock;

/// Counts the rows that pass.
class CountedSource final : public query::RecordSource {
 public:
  CountedSource(query::Source input, std::int64_t& rows) : input_(std::move(input)), rows_(rows) {}
  Status pull(query::Batch& out) override {
    CHECK_OK(input_->pull(out));
    rows_ += static_cast<std::int64_t>(out.size());
    return {};
  }

 private:
  query::Source input_;
  std::int64_t& rows_;
};

/// The legs of a walk, one after the other, told apart.
class LegChain final : public query::RecordSource {
 public:
  LegChain(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection, const shards::ScanOrder& order,
           const shards::LegWork& work, const shards::LegControl& control) {
    for (shards::LegSpan& span : leg_spans(*collection, order)) {
      auto scan = std::make_unique<shards::LegScan>(store, collection, order, span, work, control);
      legs_.push_back({.report = {.span = std::move(span), .figures = {}}, .scan = std::move(scan)});
    }
  }
  Status pull(query::Batch& out) override {
    out.clear();
    for (; at_ < legs_.size(); ++at_) {
      shards::LegFigures& figures = legs_[at_].report.figures;
      const SteadyTime start = steady_clock::now();
      CHECK_OK(legs_[at_].scan->pull(out));
      figures.time += steady_clock::now() - start;
      figures.returned += static_cast<std::int64_t>(out.size());
      if (!out.empty()) return {};
      legs_[at_].scan->suspend();
    }
    return {};
  }
  bool exhausted() const {
    return std::ranges::all_of(legs_, [](const OneLeg& leg) { return leg.scan->exhausted(); });
  }
  std::vector<LegReport> reports(bool by_key) const {
    std::vector<LegReport> reports;
    for (const OneLeg& leg : legs_) {
      reports.push_back(leg.report);
      reports.back().figures.keys = by_key ? leg.scan->scan().keys_examined() : 0;
      reports.back().figures.documents = leg.scan->scan().documents_examined();
    }
    return reports;
  }

 private:
  struct OneLeg {
    LegReport report;
    std::unique_ptr<shards::LegScan> scan;
  };
  std::vector<OneLeg> legs_;
  std::size_t at_ = 0;
};

/// A pipeline that was run to its end.
struct Run {
  std::vector<std::int64_t> passed;  ///< Rows that came out of the source, then out of stage after stage.
  query::Source stream;              ///< Keeps the source and what it counted.
};

Result<Run> run(const query::Pipeline& pipeline, query::Source source) {
  const query::PipelinePart whole = pipeline.whole();
  Run run;
  run.passed.resize(whole.steps.size() + 1);
  run.stream = std::make_unique<CountedSource>(std::move(source), run.passed[0]);
  for (std::size_t i = 0; i < whole.steps.size(); ++i) {
    query::Source stage = whole.steps[i].plan->open(std::move(run.stream), whole.steps[i].role);
    run.stream = std::make_unique<CountedSource>(std::move(stage), run.passed[i + 1]);
  }
  query::Batch batch;
  do {
    CHECK_OK(run.stream->pull(batch));
  } while (!batch.empty());
  return run;
}

/// Documents that are there already, for as long as they are.
query::Source source_of(const std::vector<bson::Document>& documents) {
  return std::make_unique<query::VectorSource>(std::vector<bson::View>(documents.begin(), documents.end()));
}

/// A stage as it was written; a $sort tells its order under a name of its own.
void write_stage(const bson::Field& stage, bson::Writer& out) {
  if (stage.name == "$sort") {
    out.document(stage.name).add("sortKey", stage.value);
  } else {
    out.add(stage);
  }
}

/// Stages from `first` on. `passed` says how many rows each of those handed on; empty when nothing was run.
void write_stages(bson::View stages, std::size_t first, std::span<const std::int64_t> passed, bson::ArrayWriter& list) {
  std::size_t place = 0;
  for (const bson::Field& stage : stages) {
    const std::size_t at = place++;
    if (at < first) continue;
    bson::Writer out = list.document();
    write_stage(*stage.value.as_document().begin(), out);
    if (!passed.empty()) add_number(out, "nReturned", passed[at - first]);
  }
}

/// A pipeline that begins with what the server knows: its rows are there, without a plan.
Status explain_made(const std::vector<bson::Document>& made, bson::View stages, Verbosity verbosity, bson::Writer& to) {
  const bson::Document rest = behind_source_stage(stages);
  TRY(const query::Pipeline pipeline, query::Pipeline::parse(rest));
  Run ran;
  if (runs(verbosity)) {
    TRY(ran, run(pipeline, source_of(made)));
  }
  to.add("explainVersion", "1");
  bson::ArrayWriter list = to.array("stages");
  write_stages(stages, 0, ran.passed, list);
  return {};
}

/// Rows come out of the plan behind the filter that begins the pipeline, if there is one: then `filters` is 1.
Result<Run> run_plan(Operation& operation, const std::shared_ptr<const shards::Collection>& collection,
                     const PlanChoice& choice, const query::Pipeline& pipeline, std::size_t filters, RunFigures& figures) {
  if (collection == nullptr) return run(pipeline, source_of({}));
  const SteadyTime start = steady_clock::now();
  Plan plan = choice.plan();
  const bool by_key = plan.by_key();
  const shards::LegWork work{.filter = pipeline.leading_filter(), .fields = shards::LegWork::gather(pipeline.needed_fields())};
  shards::LegControl control;
  control.interrupted = [&operation] { return operation.check_interrupt(); };
  auto source = std::make_unique<LegChain>(operation.server().store, collection, plan.order, work, control);
  const LegChain& walk = *source;
  TRY(Run ran, run(pipeline, std::move(source)));
  figures.legs = walk.reports(by_key);
  figures.plan.exhausted = walk.exhausted();
  for (const LegReport& leg : figures.legs) {
    figures.plan.keys += leg.figures.keys;
    figures.plan.documents += leg.figures.documents;
  }
  figures.plan.matched = figures.plan.returned = figures.answered = ran.passed[filters];
  figures.millis = std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start).count();
  ran.stream.reset();  // The walk works by what stands here.
  return ran;
}

/// A walk over the collection, told as $cursor, and the stages behind it.
Status explain_cursor(Operation& operation, const shards::Namespace& ns, query::Pipeline pipeline,
                      bson::View stages, const ExplainedQuery& explained, Verbosity verbosity, bson::Writer& to) {
  const auto collection = operation.server().store.catalog().snapshot().share(ns.full());
  const std::size_t filters = pipeline.leading_filter() == nullptr ? 0 : 1;
  std::size_t told = filters;
  TRY(const query::Matcher matcher, query::Matcher::parse(explained.shown.filter));
  const query::SortSpec sort = pipeline.leading_sort() == nullptr ? query::SortSpec() : *pipeline.leading_sort();
  TRY(const PlanChoice choice, PlanChoice::make(collection, matcher.tree(), sort, explained.hint));
  if (collection != nullptr && !sort.empty() && !choice.winner().needs_sort) {
    pipeline.drop_leading_sort();
    ++told;
  }
  Run ran;
  RunFigures figures;
  if (runs(verbosity)) {
    TRY(ran, run_plan(operation, collection, choice, pipeline, filters, figures));
  }
  to.add("explainVersion", "1");
  bson::ArrayWriter list = to.array("stages");
  {
    bson::Writer stage = list.document();
    {
      bson::Writer cursor = stage.document("$cursor");
      write_query_planner(ns, choice, explained.shown, explained.asked, cursor);
      if (runs(verbosity)) write_execution_stats(choice, explained.shown, figures, verbosity, cursor);
    }
    if (runs(verbosity)) add_number(stage, "nReturned", figures.answered);
  }
  const std::span<const std::int64_t> passed = ran.passed;
  write_stages(stages, told, passed.empty() ? passed : passed.subspan(filters + 1), list);
  return {};
}

}  // namespace

Status explain_pipeline(Operation& operation, const shards::Namespace& ns, const ExplainedPipeline& asked,
                        Verbosity verbosity, bson::Writer& to) {
  const bson::View stages = asked.stages;
  TRY(const auto made, run_source_stage(operation, ns, stages));
  if (made) return explain_made(*made, stages, verbosity, to);
  CHECK_OK(check_explainable(operation, ns));
  TRY(query::Pipeline pipeline, query::Pipeline::parse(stages));
  ExplainedQuery explained{.ns = ns, .hint = asked.hint, .asked = asked.asked};
  const bool filters = pipeline.leading_filter() != nullptr;
  if (filters) explained.shown.filter = stages.begin()->value.as_document().begin()->value.as_document();
  if (stages.count() == (filters ? 1U : 0U)) return explain_query(operation, explained, verbosity, to);
  return explain_cursor(operation, ns, std::move(pipeline), stages, explained, verbosity, to);
}

}  // namespace partita::commands
