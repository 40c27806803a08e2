// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/leg_scan.h"

#include <algorithm>

#include "shards/store.h"

namespace partita::shards {
namespace {

/// Rows between two looks at whether to pause, and at the clock and the client.
constexpr std::uint64_t kPauseInterval = 16;
constexpr std::uint64_t kInterruptInterval = 512;
/// After this long a batch with fewer rows than it may have is better than none.
constexpr std::chrono::milliseconds kPatience{2};

}  // namespace

std::optional<query::FieldGather> LegWork::gather(const std::optional<query::FieldSet>& fields) {
  if (!fields || fields->size() > query::FieldGather::kMostNames) return std::nullopt;
  query::FieldGather gather;
  for (const std::string& name : *fields) gather.add(name);
  return gather;
}

LegScan::LegScan(Store& store, std::shared_ptr<const Collection> collection, const ScanOrder& order, const LegSpan& leg,
                 const LegWork& work, const LegControl& control)
    : scan_(store, std::move(collection), within(order, leg.span), leg.span), work_(work), control_(control) {
  scan_.interrupt_by([this] { return check(); });
}

LegScan::LegScan(Store& store, std::shared_ptr<const Collection> collection, ScanOrder order, const LegWork& work,
                 const LegControl& control)
    : scan_(store, std::move(collection), std::move(order)), work_(work), control_(control) {
  scan_.interrupt_by([this] { return check(); });
}

LegScan::LegScan(const LegScan& whole, ScanLegs legs)
    : scan_(whole.scan_, std::move(legs)), work_(whole.work_), control_(whole.control_), rests_(whole.rests_) {
  scan_.interrupt_by([this] { return check(); });
}

std::vector<std::unique_ptr<LegScan>> LegScan::part(const Collection& now) {
  std::vector<std::unique_ptr<LegScan>> others;
  for (ScanLegs& legs : scan_.part(now)) others.push_back(std::unique_ptr<LegScan>(new LegScan(*this, std::move(legs))));
  return others;
}

Status LegScan::resume() {
  CHECK_OK(control_.check());
  if (std::exchange(resumed_, true)) return {};
  Status status = control_.collection == nullptr ? scan_.resume() : scan_.resume(control_.collection, control_.time);
  if (status.ok()) return {};
  status = name_partition(std::move(status));
  suspend();  // Where partial results are wanted the query goes on without it.
  return status;
}

void LegScan::suspend() {
  scan_.suspend();
  resumed_ = false;
}

/// A failure of the walk itself says where it was.
Status LegScan::name_partition(Status status) {
  if (!status.ok() && CollectionScan::is_of_partition(status.code())) failed_partition_ = scan_.partition();
  return scan_.place(std::move(status));
}

Result<bool> LegScan::move(bson::View& document) {
  TRY(const bool more, scan_.next());
  if (!more) return false;
  if (work_.keys_alone) return true;
  TRY(document, scan_.document());
  return true;
}

Result<bool> LegScan::next(bson::View& document) {
  paused_ = false;
  while (!done()) {
    Result<bool> more = move(document);
    if (!more.ok()) [[unlikely]] return name_partition(std::move(more).status());
    if (!*more) return false;
    const bool passes = work_.filter == nullptr || work_.filter->matches(document, state_);
    if (!state_.failure.ok()) [[unlikely]] return std::move(state_.failure);
    ++looked_;
    if (looked_ % kInterruptInterval == 0) {
      state_.arena.reset();
      CHECK_OK(control_.check());
    }
    matched_ += passes ? 1 : 0;
    if (looked_ % kWalkReportInterval == 0) CHECK_OK(report());
    if (passes) return true;
    if (looked_ % kPauseInterval == 0 && told_to_pause()) {
      paused_ = true;
      return false;
    }
  }
  return false;
}

Status LegScan::pull(query::Batch& out) {
  out.clear();
  if (std::exchange(failed_, false)) return std::move(failure_);
  if (scan_.exhausted() || done()) return {};
  CHECK_OK(resume());
  Status status = gather(out);
  if (rests_) {
    suspend();
  } else {  // Nobody else says how much: more each time, for a $limit may want no more than a few.
    allowance_.rows = std::min(2 * allowance_.rows, query::Batch::kRows);
  }
  if (status.ok() || out.empty()) return status;
  // The rows before the failure come first: whether it is met depends on how many are wanted, not on who looked ahead.
  failure_ = std::move(status);
  failed_ = true;
  return {};
}

Status LegScan::gather(query::Batch& out) {
  bson::View document;
  std::size_t bytes = 0;
  const Clock::time_point hand_on_at = Clock::now() + kPatience;
  hand_on_at_ = kNever;
  while (out.size() < allowance_.rows && bytes < allowance_.bytes) {
    TRY(const bool more, next(document));
    if (!more) break;
    const bson::View kept = work_.fields ? work_.fields->cut(document, out.arena)
                                         : bson::View::trusted(out.arena.copy(document.bytes()).data());
    bytes += kept.size();
    out.rows.push_back({kept, out.arena.copy(key())});
    hand_on_at_ = hand_on_at;
    if (out.size() % kPauseInterval == 0 && told_to_pause()) break;
  }
  return {};
}

Bytes LegScan::key() {
  if (work_.key == LegWork::Key::kRecord) return scan_.record_key();
  key_.clear();
  scan_.append_walk_key(key_);
  return key_.bytes();
}

Status LegScan::drain(query::RowSink& sink) {
  if (failed_) return std::exchange(failed_, false), std::move(failure_);
  if (scan_.exhausted() || done()) return {};
  CHECK_OK(resume());
  Status status = show_all(sink);
  if (rests_) suspend();
  return status;
}

Status LegScan::show_all(query::RowSink& sink) {
  bson::View document;
  while (true) {
    TRY(const bool more, next(document));
    if (!more && paused_) continue;  // What gathers all rows does not pause.
    if (!more) return {};
    CHECK_OK(sink.take({document, key()}));
  }
}

}  // namespace partita::shards
