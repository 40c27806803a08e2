// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/near_rows.h"

#include "commands/index_description.h"
#include "commands/server.h"
#include "commands/settings/sort_parameters.h"
#include "query/stages/sorted_rows.h"

namespace partita::commands {
namespace {

/// Of the partitions that are asked.
query::IndexDescription describe(const shards::Collection& collection, const shards::ScanOrder& order) {
  const auto place = static_cast<std::size_t>(std::ranges::find(collection.indexes, order.index) - collection.indexes.begin());
  return describe_index(*order.index, array_bits(collection, place, leg_spans(collection, order)));
}

void count_handed_on(query::RingFigures& ring, std::size_t rows) {
  ring.returned = ring.returned.value_or(0) + static_cast<std::int64_t>(rows);
}

}  // namespace

NearRows::NearRows(shards::Store& store, std::shared_ptr<const shards::Collection> collection, const query::Matcher& filter,
                   Plan plan, std::uint64_t most, query::RunFiles* files)
    : store_(store),
      collection_(std::move(collection)),
      order_(std::move(plan.order)),
      by_distance_(query::SortSpec::by_distance(filter.tree().near)),
      most_(most),
      files_(files),
      rings_(filter.tree(), describe(*collection_, order_)),
      moment_(store, collection_) {
  work_.filter = &filter;
}

Status NearRows::begin(Operation& operation) {
  CHECK_OK(moment_.wake(control_));
  control_.interrupted = [&operation] { return operation.check_interrupt(); };
  return {};
}

void NearRows::rest(bool for_good) {
  control_.interrupted = {};
  for_good ? moment_.end() : moment_.rest();
}

Status NearRows::pull(query::Batch& out) {
  out.clear();
  while (!ended_ && out.empty()) {
    if (!sorter_) CHECK_OK(sort_next_ring());
    if (ended_) break;
    constexpr std::uint64_t kRows = query::Batch::kRows;
    CHECK_OK(take_sorted(*sorter_, out, most_ == 0 ? kRows : std::min(kRows, most_ - handed_on_)));
    handed_on_ += out.size();
    if (legs_.size() == 1) count_handed_on(legs_[0].rings.back(), out.size());
    ended_ = most_ != 0 && handed_on_ == most_;
    if (out.empty()) sorter_.reset();
  }
  return {};
}

Status NearRows::sort_next_ring() {
  const auto ring = rings_.next();
  if (!ring) {
    ended_ = true;
    return {};
  }
  sorter_.emplace(by_distance_, query::SorterOptions{.limit = most_ == 0 ? 0 : most_ - handed_on_,
                                                     .memory_limit = parameters::sort_limits().memory_bytes,
                                                     .files = files_});
  shards::ScanOrder order = order_;
  order.ranges = ring->ranges;
  for (const shards::LegSpan& leg : leg_spans(*collection_, order)) {
    if (!order.ranges.empty()) CHECK_OK(sort_leg(order, leg, *ring));
  }
  return sorter_->finish();
}

Status NearRows::sort_leg(const shards::ScanOrder& order, const shards::LegSpan& leg, const query::NearRings::Ring& ring) {
  shards::LegScan scan(store_, collection_, order, leg, work_, control_);
  std::int64_t in_ring = 0;
  query::RowSinkOf sink([&](const query::Row& row) -> Status {
    if (!ring.near->holds_for(row.document)) return {};
    ++in_ring;
    return sorter_->add(row.document, row.key);
  });
  const SteadyTime start = std::chrono::steady_clock::now();
  Status status = scan.drain(sink);
  scan.suspend();
  const shards::LegFigures figures{.keys = scan.scan().keys_examined(),
                                   .documents = scan.scan().documents_examined(),
                                   .matched = scan.matched(),
                                   .time = std::chrono::steady_clock::now() - start};
  figures_ += figures;
  if (tells_) tell(leg, ring, figures, in_ring);
  return status;
}

void NearRows::tell(const shards::LegSpan& leg, const query::NearRings::Ring& ring, const shards::LegFigures& figures,
                    std::int64_t in_ring) {
  const auto same = [&](const LegReport& report) { return report.span.first == leg.first && report.span.end == leg.end; };
  auto found = std::ranges::find_if(legs_, same);
  if (found == legs_.end()) found = legs_.insert(found, {.span = leg, .figures = {}});
  found->figures += figures;
  found->figures.returned += in_ring;
  found->rings.push_back({.least = ring.near->least(),
                          .most = ring.near->most(),
                          .walk = {figures.keys, figures.documents, in_ring},
                          .bounds = std::make_shared<const bson::Document>(rings_.bounds(ring))});
}

FindNear::FindNear(shards::Store& store, std::shared_ptr<const shards::Collection> collection, FindQuery query, Plan plan)
    : FindRun(std::move(query)), rows_(store, std::move(collection), this->query().matcher, std::move(plan), needed(),
            this->query().disk_use ? &store.run_files() : nullptr) {}

Status FindNear::fill(Operation& operation, bson::ArrayWriter& batch, const BatchLimits& limits) {
  BatchFill fill(batch, limits);
  FindRun::begin(fill);
  if (ended() || fill.full()) return {};
  CHECK_OK(rows_.begin(operation));
  Status status = hand_on_all(fill);
  rows_.rest(ended() || !status.ok());
  return status;
}

Status FindNear::hand_on_all(BatchFill& fill) {
  while (true) {
    if (at_ == batch_.size()) {
      CHECK_OK(rows_.pull(batch_));
      at_ = 0;
      if (batch_.empty()) {
        end();
        return {};
      }
    }
    TRY(const bool goes_on, hand_on(fill, batch_.rows[at_++].document));
    if (!goes_on) return {};
  }
}

}  // namespace partita::commands
