// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/find_fan_out.h"

#include "commands/find_execution.h"
#include "commands/near_rows.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

}  // namespace

FindFanOut::FindFanOut(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query,
                       Plan plan, const Manner& manner)
    : FindRun(std::move(query)),
      store_(store),
      plan_(std::move(plan)),
      manner_(manner),
      sorts_(!this->query().sort.empty() && !plan_.sorted && !plan_.legs_sorted) {
  if (!this->query().matcher.matches_everything()) work_.filter = &this->query().matcher;
  if (!sorts_) work_.limit = needed();
  if (plan_.legs_sorted) work_.key = shards::LegWork::Key::kWalk;
  moment_.emplace(store, collection);
  std::vector<shards::Leg> legs;
  std::vector<shards::LegSpan> spans = leg_spans(*collection, plan_.order);
  rows_to_sort_ = certain_rows(*collection, plan_.order, spans);
  for (shards::LegSpan& span : spans) {
    auto scan = std::make_unique<shards::LegScan>(store, collection, plan_.order, span, work_, control_);
    if (sorts_) {
      scan->rest_between_batches();
      scans_.push_back(std::move(scan));
      reports_.push_back({.span = std::move(span), .figures = {}});
    } else {
      legs.push_back({.scan = std::move(scan), .span = std::move(span)});
    }
  }
  if (sorts_) return;
  const shards::FanOutManner how{.merges = plan_.legs_sorted,
                                 .rows_stay = true,
                                 .degree = manner.parallelism.degree,
                                 .buffered = manner.parallelism.buffered,
                                 .partial = manner.partial};
  fan_out_ = std::make_unique<shards::FanOut>(std::move(legs), how, control_);
}

Status FindFanOut::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  control_.bound = premise().bound();
  begin(fill);
  if (ended()) return {};
  if (!sorts_) return fill.full() ? Status() : fill_from_stream(operation, fill);
  if (!merge_) {
    CHECK_OK(sort_all(operation));
  } else {  // Rows that lie sorted here are those of a collection that has to be there still.
    CHECK_OK(moment_->wake(control_));
    moment_->end();
  }
  return fill_from_sorters(fill);
}

Status FindFanOut::fill_from_stream(Operation& operation, BatchFill& fill) {
  CHECK_OK(moment_->wake(control_));
  fan_out_->begin(&operation.server().leg_threads, [&operation] { return operation.check_interrupt(); });
  Status status = stream(fill);
  if (status.ok() && !ended()) {
    fan_out_->rest();
    moment_->rest();
  } else {
    fan_out_->end();
    moment_->end();
  }
  return status;
}

Status FindFanOut::stream(BatchFill& fill) {
  while (true) {
    if (at_ == rows_.size()) {
      CHECK_OK(fan_out_->pull(rows_));
      at_ = 0;
      if (rows_.empty()) {
        end();
        return {};
      }
    }
    TRY(const bool goes_on, hand_on(fill, rows_.rows[at_++].document));
    if (!goes_on) return {};
  }
}

Status FindFanOut::sort_all(Operation& operation) {
  CHECK_OK(moment_->wake(control_));
  const shards::CrewSize size =
      shards::crew_size(&operation.server().leg_threads, manner_.parallelism.degree, scans_.size(), rows_to_sort_);
  sorters_.resize(shards::threads(size));
  const query::SorterOptions options = sorter_options(operation, sorters_.size());
  const shards::EachLeg each{
      .legs = scans_.size(),
      .work = [this, &options](std::size_t leg, unsigned thread) { return sort_leg(leg, thread, options); },
      .finish = [this](unsigned thread) { return sorters_[thread]->finish(); },
  };
  Status status = for_each_leg(each, size, control_, [&operation] { return operation.check_interrupt(); });
  moment_->end();
  CHECK_OK(std::move(status));
  return begin_merge();
}

Status FindFanOut::sort_leg(std::size_t leg, unsigned thread, const query::SorterOptions& options) {
  if (sorters_[thread] == nullptr) {
    sorters_[thread] = std::make_unique<query::Sorter>(query().sort, options);
  }
  query::Sorter& sorter = *sorters_[thread];
  std::size_t told = sorter.memory();
  query::RowSinkOf sink([&](const query::Row& row) -> Status {
    CHECK_OK(sorter.add(row.document, row.key));
    const std::size_t now = sorter.memory();
    sorted_bytes_ += now - told;  // May wrap round in between, and comes out right.
    told = now;
    return {};
  });
  const auto start = std::chrono::steady_clock::now();
  Status status = scans_[leg]->drain(sink);
  LegReport& report = reports_[leg];
  report.figures = {.keys = scans_[leg]->scan().keys_examined(),
                    .documents = scans_[leg]->scan().documents_examined(),
                    .returned = scans_[leg]->matched(),
                    .time = std::chrono::steady_clock::now() - start};
  report.branches = scans_[leg]->scan().branches();
  const auto& partition = scans_[leg]->failed_partition();
  if (status.ok() || !manner_.partial || !partition) return status;
  const std::lock_guard lock(failures_mutex_);
  failures_.push_back({*partition, std::move(status)});
  return {};
}

Status FindFanOut::begin_merge() {
  std::erase(sorters_, nullptr);
  threads_ = static_cast<unsigned>(sorters_.size());
  std::ranges::sort(failures_, {}, &shards::FanOut::Failure::partition);
  heads_.resize(sorters_.size());
  merge_.emplace(sorters_.size());
  for (std::size_t i = 0; i < sorters_.size(); ++i) {
    TRY(const bool any, sorters_[i]->next(heads_[i]));
    if (any) merge_->set(i, heads_[i].key);
  }
  merge_->build();
  return {};
}

Status FindFanOut::fill_from_sorters(BatchFill& fill) {
  while (!fill.full()) {
    if (merge_->done()) {
      end();
      return {};
    }
    query::SortedRow& head = heads_[merge_->winner()];
    TRY(const bool goes_on, hand_on(fill, head.document));
    TRY(const bool more, sorters_[merge_->winner()]->next(head));
    more ? merge_->replace(head.key) : merge_->remove();
    if (!goes_on) return {};
  }
  return {};
}

std::size_t FindFanOut::memory() const {
  return held_memory() + sorted_bytes_ + rows_.arena.reserved() + (fan_out_ ? fan_out_->memory() : 0);
}

std::vector<LegReport> FindFanOut::legs() const {
  if (sorts_) return reports_;
  std::vector<LegReport> legs;
  for (std::size_t i = 0; i < fan_out_->legs(); ++i) legs.push_back({fan_out_->span(i), fan_out_->figures(i), fan_out_->branches(i)});
  return legs;
}

std::vector<query::WalkFigures> FindFanOut::branches() const {
  std::vector<query::WalkFigures> all;
  for (const LegReport& leg : legs()) query::add_each(all, leg.branches);
  return all;
}

query::SortFigures FindFanOut::sorted() const {
  query::SortFigures all;
  for (const auto& sorter : sorters_) all += sorter->figures();
  return all;
}

/// Over all legs.
std::int64_t FindFanOut::sum(std::int64_t shards::LegFigures::* figure) const {
  std::int64_t sum = 0;
  if (sorts_) {
    for (const LegReport& leg : reports_) sum += leg.figures.*figure;
  } else {
    for (std::size_t i = 0; i < fan_out_->legs(); ++i) sum += fan_out_->figures(i).*figure;
  }
  return sum;
}

bool FindFanOut::scanned_to_the_end() const { return sorts_ || fan_out_->scanned_to_the_end(); }

unsigned FindFanOut::threads() const { return sorts_ ? threads_ : fan_out_->threads(); }

void FindFanOut::add_to_cursor(bson::Writer& cursor) const {
  const std::vector<shards::FanOut::Failure>& failures = sorts_ ? failures_ : fan_out_->failures();
  if (failures.empty()) return;
  cursor.add("partialResultsReturned", true);
  bson::ArrayWriter list = cursor.array("failedPartitions");
  for (const auto& [partition, why] : failures) {
    bson::Writer one = list.document();
    one.add("partition", static_cast<std::int64_t>(partition));
    one.add("code", static_cast<std::int32_t>(why.code()));
    one.add("codeName", code_name(why.code()));
    one.add("errmsg", why.message());
  }
}

std::unique_ptr<FindRun> run_find(shards::Store& store, std::shared_ptr<const shards::Collection> collection,
                                  FindQuery query, Plan plan, const FindFanOut::Manner& manner) {
  const bool rings = query.sort.near() != nullptr && plan.order.index != nullptr && !manner.partial;
  if (rings) return std::make_unique<FindNear>(store, std::move(collection), std::move(query), std::move(plan));
  const bool in_one_thread = manner.parallelism.degree == 0 || manner.parallelism.degree == 1;
  const bool one_leg = collection->partitions.size() == 1 || leg_spans(*collection, plan.order).size() <= 1;
  const bool outlives_map = !manner.one_batch && plan.may_come_to_merge(*collection);
  if (outlives_map && std::exchange(plan.sorted, false)) plan.legs_sorted = true;
  // Of a union each leg shows all branches: in one walk over all legs each branch would show all legs.
  const bool by_legs = !in_one_thread || plan.legs_sorted || !plan.order.branches.empty();
  if (manner.partial || outlives_map || (!one_leg && by_legs)) {
    return std::make_unique<FindFanOut>(store, std::move(collection), std::move(query), std::move(plan), manner);
  }
  return std::make_unique<FindExecution>(store, std::move(collection), std::move(query), std::move(plan.order), plan.sorted);
}

}  // namespace partita::commands
