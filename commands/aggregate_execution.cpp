// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/aggregate_execution.h"

#include <algorithm>

#include "commands/plan_summary.h"
#include "commands/server.h"
#include "commands/settings/sort_parameters.h"
#include "query/stages/match.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

/// Counts the rows that pass, and asks who has made them.
class CountedSource final : public query::RecordSource {
 public:
  CountedSource(query::Source input, AggregateExecution::StepFigures& figures) : input_(std::move(input)), figures_(figures) {}
  Status pull(query::Batch& out) override {
    CHECK_OK(input_->pull(out));
    for (const query::Row& row : out.rows) count(row);
    ask();
    return {};
  }
  Status drain(query::RowSink& sink) override {
    query::RowSinkOf counted([&](const query::Row& row) {
      count(row);
      return sink.take(row);
    });
    CHECK_OK(input_->drain(counted));
    ask();
    return {};
  }

 private:
  void count(const query::Row& row) {
    ++figures_.output.rows;
    figures_.output.bytes += static_cast<std::int64_t>(row.document.size());
  }
  void ask() {
    bson::Document told = bson::Document::build([&](bson::Writer& out) { input_->tell(figures_.output, out); });
    figures_.told = std::make_shared<const bson::Document>(std::move(told));
  }

  query::Source input_;
  AggregateExecution::StepFigures& figures_;
};

/// Not more rows at first than are wanted, for the next one may be far.
shards::LegScan::Allowance allowance_for(const BatchLimits& limits) {
  shards::LegScan::Allowance allowance;
  allowance.rows = std::min(allowance.rows, static_cast<std::size_t>(std::max<std::int64_t>(limits.documents, 1)));
  return allowance;
}

}  // namespace

PlanNeeds needs_of(const query::Pipeline& pipeline) {
  PlanNeeds needs;
  if (const auto fields = pipeline.needed_fields()) needs.paths.emplace(fields->begin(), fields->end());
  return needs;
}

Status AggregateExecution::open(const PlanAsker& asker, const std::shared_ptr<const shards::Collection>& collection,
                                bson::Value hint, const Parallelism& parallelism) {
  static const query::SortSpec kAnyOrder;
  shards::Store& store = asker.store;
  const query::Matcher* filter = pipeline_.leading_filter();
  const query::SortSpec* sort = pipeline_.leading_sort();
  TRY(const query::Matcher everything, query::Matcher::parse(bson::View()));
  PlanNeeds needs = needs_of(pipeline_);
  needs.apart = counts_rows_;
  TRY(Plan plan, choose_plan(asker, collection, filter == nullptr ? everything : *filter, sort == nullptr ? kAnyOrder : *sort, hint, std::move(needs)));
  plan_ = commands::plan_summary(plan.order);
  set_premise(std::move(plan.premise));
  if (beside_ != nullptr && beside_->is_asked()) {
    metadata_ = std::make_unique<FindMetadata>(collection, kAnyOrder, &plan);
    beside_->bind(metadata_.get());
  }
  const bool near = sort != nullptr && sort->near() != nullptr && plan.order.index != nullptr;
  const std::uint64_t most = near ? pipeline_.leading_sort_limit() : 0;
  // Rows that come in order need not wait for one another: a $limit behind ends the walk.
  const bool ordered = sort != nullptr && (plan.sorted || plan.legs_sorted || near);
  if (ordered) pipeline_.drop_leading_sort();
  filter_ = pipeline_.take_leading_match();
  done_by_walk_ = (ordered ? 1 : 0) + (filter_ != nullptr ? 1 : 0);
  if (filter_ != nullptr) work_.filter = &static_cast<const query::MatchPlan&>(*filter_).matcher();
  work_.fields = shards::LegWork::gather(pipeline_.needed_fields());
  if (near) return open_near(store, collection, std::move(plan), most), Status();
  const bool several = collection->partitions.size() > 1 && leg_spans(*collection, plan.order).size() > 1;
  const bool outlives_map = plan.may_come_to_merge(*collection);
  if (outlives_map && std::exchange(plan.sorted, false)) plan.legs_sorted = true;
  if (several || outlives_map) {
    open_split(store, collection, plan, ordered, parallelism);
  } else {
    open_whole(store, collection, std::move(plan));
  }
  return {};
}

void AggregateExecution::open_whole(shards::Store& store, std::shared_ptr<const shards::Collection> collection, Plan plan) {
  if (counts_rows_) {
    const std::vector<shards::LegSpan> legs = leg_spans(*collection, plan.order);
    if (!legs.empty()) one_leg_ = legs.front();
  }
  auto scan = std::make_unique<shards::LegScan>(store, std::move(collection), std::move(plan.order), work_, legs_control_);
  scan_ = scan.get();
  const query::PipelinePart whole = pipeline_.whole();
  share_memory(*control_, 1);
  stream_ = whole.open(std::move(scan), control_, counting(whole.steps.size(), each_passed_));
}

/// Over all legs, without parts of its own on each: the nearest are looked for ring by ring.
void AggregateExecution::open_near(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection, Plan plan,
                                   std::uint64_t most) {
  auto rows = std::make_unique<NearRows>(store, collection, *work_.filter, std::move(plan), most, files_);
  near_ = rows.get();
  if (counts_rows_) near_->tell_apart();
  share_memory(*control_, 1);
  const query::PipelinePart whole = pipeline_.whole();
  stream_ = whole.open(std::move(rows), control_, counting(whole.steps.size(), each_passed_));
}

void AggregateExecution::open_split(shards::Store& store, const std::shared_ptr<const shards::Collection>& collection,
                                    const Plan& plan, bool ordered, const Parallelism& parallelism) {
  split_ = pipeline_.split(ordered);
  if (plan.legs_sorted) work_.key = shards::LegWork::Key::kWalk;
  moment_.emplace(store, collection);
  std::vector<shards::Leg> legs;
  std::vector<shards::LegSpan> spans = leg_spans(*collection, plan.order);
  const std::int64_t rows = split_.gathers ? certain_rows(*collection, plan.order, spans) : 0;
  for (shards::LegSpan& span : spans) {
    auto scan = std::make_unique<shards::LegScan>(store, collection, plan.order, span, work_, legs_control_);
    legs.push_back({.scan = std::move(scan), .span = std::move(span)});
  }
  const std::size_t count = legs.size();
  const shards::FanOutManner manner{.merges = split_.order != nullptr || plan.legs_sorted,
                                    .gathers = split_.gathers,
                                    .rows_stay = split_.rows_stay,
                                    .degree = parallelism.degree,
                                    .buffered = parallelism.buffered,
                                    .rows = rows,
                                    .stages = [this, count](query::Source scan) { return open_leg(std::move(scan), count); }};
  auto fan_out = std::make_unique<shards::FanOut>(std::move(legs), manner, legs_control_);
  fan_out_ = fan_out.get();
  share_memory(*control_, 1);
  stream_ = split_.merge.open(std::move(fan_out), control_, counting(split_.merge.steps.size(), merge_passed_));
}

/// The stages of one leg. What they hold counts together; each by itself belongs to one thread at a time.
query::Source AggregateExecution::open_leg(query::Source scan, std::size_t legs) {
  auto control = std::make_shared<query::RunControl>(held_);
  share_memory(*control, legs);
  control->set_interrupt([this] { return legs_control_.check(); });
  return split_.each.open(std::move(scan), control, counting(split_.each.steps.size(), each_passed_));
}

void AggregateExecution::share_memory(query::RunControl& control, std::size_t among) const {
  if (counts_rows_) control.tell();
  control.allow_spilling({.files = files_, .memory = parameters::sort_limits().memory_bytes / among});
}

query::PipelinePart::Behind AggregateExecution::counting(std::size_t steps, std::deque<StepsFigures>& counts) const {
  if (!counts_rows_) return {};
  StepsFigures& passed = counts.emplace_back(steps);
  return [&passed](query::Source stage, std::size_t step) { return std::make_unique<CountedSource>(std::move(stage), passed[step]); };
}

void AggregateExecution::open(std::vector<bson::Document> documents) {
  documents_ = std::move(documents);
  documents_bytes_ = size_of(documents_);
  std::vector<bson::View> views(documents_.begin(), documents_.end());
  const query::PipelinePart whole = pipeline_.whole();
  share_memory(*control_, 1);
  stream_ = whole.open(std::make_unique<query::VectorSource>(std::move(views)), control_, counting(whole.steps.size(), each_passed_));
}

Status AggregateExecution::begin(Operation& operation) {
  const auto interrupted = [&operation] { return operation.check_interrupt(); };
  control_->set_interrupt(interrupted);
  legs_control_.bound = premise().bound();
  if (near_ != nullptr) return near_->begin(operation);
  if (fan_out_ == nullptr) {
    legs_control_.interrupted = interrupted;
    return {};
  }
  CHECK_OK(moment_->wake(legs_control_));
  fan_out_->begin(&operation.server().leg_threads, interrupted);
  return {};
}

void AggregateExecution::rest(bool for_good) {
  control_->set_interrupt({});
  if (near_ != nullptr) return near_->rest(for_good);
  if (scan_ != nullptr) {
    scan_->suspend();
    legs_control_.interrupted = {};
  }
  if (fan_out_ == nullptr) return;
  for_good ? fan_out_->end() : fan_out_->rest();
  for_good ? moment_->end() : moment_->rest();
}

Status AggregateExecution::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  CHECK_OK(begin(operation));
  if (scan_ != nullptr) scan_->allow(allowance_for(limits));
  const auto start = std::chrono::steady_clock::now();
  Status status = fill_from_stream(fill);
  one_leg_time_ += std::chrono::steady_clock::now() - start;
  rest(ended_ || !status.ok());
  return status;
}

Status AggregateExecution::fill_from_stream(BatchFill& fill) {
  while (!ended_) {
    if (next_ == rows_.size()) {
      // Only asked for when wanted, so that a full batch does not wait for a row of the next one.
      if (fill.full()) return {};
      CHECK_OK(stream_->pull(rows_));
      next_ = 0;
      ended_ = rows_.empty();
      continue;
    }
    if (fill.full()) return {};
    const bson::View document = rows_.rows[next_].document;
    CHECK_OK(check_result(document));
    if (!fill.fits(document.size())) return {};
    fill.add(document);
    ++next_;
  }
  return {};
}

std::size_t AggregateExecution::memory() const {
  return *held_ + documents_bytes_ + (near_ == nullptr ? 0 : near_->memory()) + (fan_out_ == nullptr ? 0 : fan_out_->memory());
}

/// Over all legs.
std::int64_t AggregateExecution::sum(std::int64_t shards::LegFigures::* figure) const {
  if (near_ != nullptr) return near_->figures().*figure;
  if (scan_ != nullptr) {
    return figures_of_one().*figure;
  }
  std::int64_t sum = 0;
  for (std::size_t i = 0; fan_out_ != nullptr && i < fan_out_->legs(); ++i) sum += fan_out_->figures(i).*figure;
  return sum;
}

shards::LegFigures AggregateExecution::figures_of_one() const {
  return {.keys = scan_->scan().keys_examined(),
          .documents = scan_->scan().documents_examined(),
          .matched = scan_->matched(),
          .time = one_leg_time_};
}

AggregateExecution::Told AggregateExecution::told() const {
  Told told{.done_by_walk = done_by_walk_, .whole = pipeline_.whole()};
  told.each.assign(each_passed_.begin(), each_passed_.end());
  if (!merge_passed_.empty()) told.merge = merge_passed_.front();
  if (near_ != nullptr) {
    told.legs = near_->legs();
    told.exhausted = near_->ended();
  }
  if (scan_ != nullptr) {
    told.legs.push_back({one_leg_, figures_of_one(), scan_->scan().branches()});
    const StepsFigures& passed = told.each.front();
    told.legs.front().figures.returned = passed.empty() ? scan_->matched() : passed.back().output.rows;
    told.exhausted = scan_->exhausted();
  }
  if (fan_out_ == nullptr) return told;
  told.split = &split_;
  for (std::size_t i = 0; i < fan_out_->legs(); ++i) told.legs.push_back({fan_out_->span(i), fan_out_->figures(i), fan_out_->branches(i)});
  told.threads = fan_out_->threads();
  told.exhausted = fan_out_->scanned_to_the_end();
  return told;
}

}  // namespace partita::commands
