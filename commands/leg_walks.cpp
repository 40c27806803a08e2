// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/leg_walks.h"

#include "commands/plan_summary.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {

LegWalks::LegWalks(Operation& operation, std::shared_ptr<const shards::Collection> collection, const query::Matcher& filter,
                   const shards::ScanOrder& order, const Parallelism& parallelism)
    : operation_(operation), parallelism_(parallelism) {
  shards::Store& store = operation.server().store;
  if (!filter.matches_everything()) work_.filter = &filter;
  spans_ = leg_spans(*collection, order);
  rows_ = certain_rows(*collection, order, spans_);
  times_.resize(spans_.size());
  for (const shards::LegSpan& leg : spans_) {
    scans_.push_back(std::make_unique<shards::LegScan>(store, collection, order, leg, work_, control_));
    scans_.back()->rest_between_batches();
  }
  if (scans_.size() > 1) moment_.emplace(store, std::move(collection));
}

Status LegWalks::walk(const std::function<Status(std::size_t leg)>& one) {
  if (moment_) CHECK_OK(moment_->wake(control_));
  const shards::CrewSize size = shards::crew_size(&operation_.server().leg_threads, parallelism_.degree, scans_.size(), rows_);
  at_work_.resize(shards::threads(size));
  const auto timed = [&](std::size_t leg, unsigned thread) {
    at_work_[thread] = true;
    const auto start = std::chrono::steady_clock::now();
    Status status = one(leg);
    times_[leg] = std::chrono::steady_clock::now() - start;
    return status;
  };
  const shards::EachLeg each{.legs = scans_.size(), .work = timed};
  Status status = for_each_leg(each, size, control_, [this] { return operation_.check_interrupt(); });
  if (moment_) moment_->end();
  for (const auto& scan : scans_) note_walk(operation_, scan->scan(), work_.keys_alone ? "COUNT_SCAN" : "IXSCAN");
  return status;
}

std::vector<LegReport> LegWalks::reports() const {
  std::vector<LegReport> reports;
  for (std::size_t leg = 0; leg < scans_.size(); ++leg) {
    const shards::CollectionScan& scan = scans_[leg]->scan();
    const std::int64_t matched = scans_[leg]->matched();
    reports.push_back({.span = spans_[leg],
                       .figures = {.keys = scan.keys_examined(),
                                   .documents = scan.documents_examined(),
                                   .matched = matched,
                                   .returned = matched,
                                   .time = times_[leg]},
                       .branches = scan.branches()});
  }
  return reports;
}

std::int64_t LegWalks::matched() const {
  std::int64_t matched = 0;
  for (const auto& scan : scans_) matched += scan->matched();
  return matched;
}

Status LegWalks::for_each(const Look& look) {
  return walk([&](std::size_t leg) {
    query::RowSinkOf sink([&](const query::Row& row) { return look(leg, row.document); });
    return scans_[leg]->drain(sink);
  });
}

Result<std::int64_t> LegWalks::count(std::int64_t most) {
  work_.limit = static_cast<std::uint64_t>(most);
  if (most < rows_) rows_ = 0;  // It may end early.
  std::atomic<std::int64_t> found{0};
  Status status = walk([&](std::size_t leg) -> Status {
    query::RowSinkOf sink([](const query::Row&) { return Status(); });
    CHECK_OK(scans_[leg]->drain(sink));
    const std::int64_t here = scans_[leg]->matched();
    if (found.fetch_add(here) >= most - here) control_.ended = true;  // The others need not go on.
    return {};
  });
  if (found.load() < most) CHECK_OK(std::move(status));
  return std::min(found.load(), most);
}

}  // namespace partita::commands
