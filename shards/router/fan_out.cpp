// SPDX-License-Identifier: GPL-3.0-or-later
//
// How far legs may run ahead. Read in turn, the leg in front may always go on, and those behind it share what is left: half
// of a given number of rows, so that the front, which others cannot wait for, keeps the other half. Merged, each leg has an
// equal part, and never less than the one row that the merge looks at. Legs that gather all their rows before the first
// hold them anyway, within the bounds of their stages: for them it does not matter how many are handed on.
#include "shards/router/fan_out.h"

#include <algorithm>
#include <cassert>

namespace partita::shards {
namespace {

constexpr std::size_t kAutomaticBytes = 4 << 20;
constexpr std::size_t kBatchBytes = 256 << 10;
/// How long the caller waits before it looks at the clock and the client.
constexpr std::chrono::milliseconds kLookInterval{20};
constexpr std::size_t kSpareBatches = 4;

}  // namespace

FanOut::FanOut(std::vector<Leg> legs, const FanOutManner& manner, LegControl& control)
    : manner_(manner),
      cap_(manner.buffered < 0 ? 0 : static_cast<std::size_t>(std::max<std::int64_t>(manner.buffered, 1))),
      control_(control) {
  for (Leg& leg : legs) {
    version_ = leg.scan->scan().collection().version;
    add(std::move(leg));
  }
}

void FanOut::add(Leg leg) {
  Seat& seat = seats_.emplace_back();
  seat.scan = leg.scan.get();
  seat.span = std::move(leg.span);
  seat.stream = manner_.stages ? manner_.stages(std::move(leg.scan)) : std::move(leg.scan);
  seat.scan->rest_between_batches();
}

/// A merge needs legs that are in order each. One whose rows have been moved to several tables since becomes several; what
/// it has made already comes before all that is left, and stays with the first.
void FanOut::part_legs() {
  if (!manner_.merges || manner_.gathers || control_.collection == nullptr) return;
  if (std::exchange(version_, control_.collection->version) == control_.collection->version) return;
  const std::size_t before = seats_.size();
  for (std::size_t i = 0; i < before; ++i) {
    if (seats_[i].ended) continue;
    for (auto& scan : seats_[i].scan->part(*control_.collection)) add({std::move(scan), seats_[i].span});
  }
  outgrown_ |= seats_.size() > before;
}

FanOut::~FanOut() { end(); }

void FanOut::begin(wire::WorkerPool* pool, std::function<Status()> interrupted) {
  part_legs();
  resting_ = false;
  control_.interrupted = [this, asked = std::move(interrupted)] {
    crew_->look_up();
    return asked ? asked() : Status();
  };
  crew_ = std::make_unique<Crew>(crew_size(pool, manner_.degree, seats_.size(), manner_.rows), [this](unsigned) { help(); });
  crew_->start();
}

void FanOut::leave() {
  if (crew_ == nullptr) return;
  {
    const std::lock_guard lock(mutex_);
    resting_ = true;
  }
  crew_->dismiss();
  crew_.reset();
  control_.interrupted = {};
}

void FanOut::rest() { leave(); }

void FanOut::end() {
  control_.ended = true;
  leave();
}

/// A helper that finds nothing to do leaves at once: who waits for it to go waits for work only, and not for a thread to wake
/// up. It is called back when there is something.
void FanOut::help() {
  Lock lock(mutex_);
  while (!resting_) {
    const auto leg = claimable();
    if (!leg) return;
    run(lock, *leg, room(*leg), &resting_);
  }
}

/// The leg that a thread with nothing better to do takes.
std::optional<std::size_t> FanOut::claimable() const {
  std::optional<std::size_t> second;
  for (std::size_t i = first_; i < seats_.size(); ++i) {
    const Seat& seat = seats_[i];
    if (seat.running || seat.ended || room(i) == 0) continue;
    if (!manner_.merges || seat.ready.empty()) return i;
    if (!second) second = i;
  }
  return second;
}

/// Rows that a leg may make now.
std::size_t FanOut::room(std::size_t leg) const {
  const Seat& seat = seats_[leg];
  const bool needed = leg == wanted_ && seat.ready.empty();
  if (manner_.gathers) return seat.ready.size() < 2 ? seat.next_rows : 0;
  if (cap_ == 0) {
    if (needed) return seat.next_rows;
    const bool fits = bytes_ + kBatchBytes <= kAutomaticBytes && seat.bytes < kAutomaticBytes / 4;
    return fits ? seat.next_rows : 0;
  }
  if (!manner_.merges) return room_in_turn(leg);
  const std::size_t share = std::max<std::size_t>(cap_ / seats_.size(), 1);
  return std::min(seat.next_rows, share - std::min(share, seat.rows));
}

std::size_t FanOut::room_in_turn(std::size_t leg) const {
  const Seat& seat = seats_[leg];
  const std::size_t free = std::min(seat.next_rows, cap_ - std::min(cap_, rows_));
  if (leg == wanted_) return free;
  const std::size_t ahead = rows_ - seats_[wanted_].rows;
  return std::min(free, cap_ / 2 - std::min(cap_ / 2, ahead));
}

FanOut::BatchPointer FanOut::spare() {
  if (spare_.empty()) return std::make_unique<query::Batch>();
  BatchPointer batch = std::move(spare_.back());
  spare_.pop_back();
  return batch;
}

/// One batch of a leg, in this thread and without the lock.
void FanOut::run(Lock& lock, std::size_t leg, std::size_t rows, const std::atomic<bool>* pause) {
  Seat& seat = seats_[leg];
  if (manner_.gathers) pause = nullptr;
  seat.running = true;
  seat.rows += rows;
  rows_ += rows;
  most_rows_ = std::max(most_rows_, rows_);
  threads_ = std::max(threads_, ++running_);
  BatchPointer batch = spare();
  lock.unlock();

  const auto start = std::chrono::steady_clock::now();
  seat.scan->allow({.rows = rows, .bytes = kBatchBytes, .pause = pause});
  Status status = [&] {
    LegInterrupt interrupt(control_);
    const query::Interruptible here(interrupt);
    return seat.stream->pull(*batch);
  }();
  const std::size_t bytes = status.ok() ? settle(*batch) : 0;
  const auto took = std::chrono::steady_clock::now() - start;

  lock.lock();
  --running_;
  seat.figures.time += took;
  seat.running = false;
  seat.rows -= rows;
  rows_ -= rows;
  publish(seat, std::move(status), {std::move(batch), bytes}, pause != nullptr && *pause);
  if (leg == wanted_) answered_ = true;
  while (first_ < seats_.size() && seats_[first_].ended && !seats_[first_].running) ++first_;
  changed_.notify_all();
}

/// Rows lie where they outlast the leg's next batch; returns the bytes that this takes.
std::size_t FanOut::settle(query::Batch& batch) const {
  if (manner_.gathers && manner_.rows_stay) return 0;
  std::size_t bytes = 0;
  for (query::Row& row : batch.rows) {
    bytes += row.document.size() + row.key.size();
    if (manner_.rows_stay) continue;
    row.document = bson::View::trusted(batch.arena.copy(row.document.bytes()).data());
    row.key = batch.arena.copy(row.key);
  }
  return bytes;
}

void FanOut::publish(Seat& seat, Status status, Ready made, bool cut_short) {
  if (!status.ok()) {
    seat.failure = std::move(status);
    seat.ended = true;
  } else if (made.batch->empty()) {
    seat.ended = !cut_short || seat.scan->exhausted();
  } else {
    seat.figures.returned += static_cast<std::int64_t>(made.batch->size());
    seat.rows += made.batch->size();
    rows_ += made.batch->size();
    most_rows_ = std::max(most_rows_, rows_);
    seat.bytes += made.bytes;
    bytes_ += made.bytes;
    seat.next_rows = std::min(2 * seat.next_rows, query::Batch::kRows);
    seat.ready.push_back(std::move(made));
    return;
  }
  if (spare_.size() < kSpareBatches) spare_.push_back(std::move(made.batch));
}

Result<FanOut::BatchPointer> FanOut::take(std::size_t leg) {
  Lock lock(mutex_);
  wanted_ = leg;
  answered_ = false;
  Seat& seat = seats_[leg];
  while (seat.ready.empty()) {
    if (seat.ended) return finish_leg(seat);
    if (!seat.running) {
      run(lock, leg, std::max<std::size_t>(room(leg), 1), nullptr);
    } else if (const auto other = claimable()) {
      run(lock, *other, room(*other), &answered_);
    } else {
      CHECK_OK(wait(lock));
    }
  }
  Ready ready = std::move(seat.ready.front());
  seat.ready.pop_front();
  seat.bytes -= ready.bytes;
  bytes_ -= ready.bytes;
  if (claimable()) crew_->call_back();
  return std::move(ready.batch);
}

Result<FanOut::BatchPointer> FanOut::finish_leg(Seat& seat) {
  if (seat.failure.ok()) return BatchPointer();
  const auto& partition = seat.scan->failed_partition();
  if (!manner_.partial || !partition) return seat.failure;
  failures_.push_back({*partition, std::exchange(seat.failure, Status())});
  return BatchPointer();
}

Status FanOut::wait(Lock& lock) {
  if (changed_.wait_for(lock, kLookInterval) == std::cv_status::no_timeout) return {};
  lock.unlock();
  Status status = control_.check();
  lock.lock();
  return status;
}

void FanOut::forget(Taken& taken) {
  if (taken.rows == 0 && taken.batch == nullptr) return;
  const std::lock_guard lock(mutex_);
  seats_[taken.leg].rows -= taken.rows;
  rows_ -= taken.rows;
  if (taken.batch != nullptr && spare_.size() < kSpareBatches) spare_.push_back(std::move(taken.batch));
  taken = {.leg = taken.leg, .batch = nullptr};
}

Status FanOut::pull(query::Batch& out) {
  assert(crew_ != nullptr);
  return manner_.merges ? pull_merged(out) : pull_in_turn(out);
}

Status FanOut::pull_in_turn(query::Batch& out) {
  forget(handed_);
  for (; front_ < seats_.size(); ++front_) {
    TRY(BatchPointer batch, take(front_));
    if (batch == nullptr) continue;
    handed_ = {.leg = front_, .batch = std::move(batch)};
    std::swap(out, *handed_.batch);
    handed_.rows = out.size();
    return {};
  }
  out.clear();
  return {};
}

/// The next batch becomes the leg's head in the merge.
Status FanOut::refill(std::size_t leg) {
  TRY(BatchPointer batch, take(leg));
  heads_[leg] = {.leg = leg, .batch = std::move(batch)};
  if (heads_[leg].batch != nullptr) heads_[leg].rows = heads_[leg].batch->size();
  return {};
}

// A batch ends where a head is used up: its rows are looked at until the next call, which may then let its leg go on.
Status FanOut::pull_merged(query::Batch& out) {
  out.clear();
  if (std::exchange(outgrown_, false) && tree_) {  // Only now: the caller may still have been looking at the head's rows.
    if (std::exchange(used_up_, false)) forget(heads_[tree_->winner()]);
    tree_.reset();
  }
  if (!tree_) {
    heads_.resize(seats_.size());
    tree_.emplace(seats_.size());
    for (std::size_t leg = 0; leg < seats_.size(); ++leg) {
      Taken& head = heads_[leg];
      if (head.batch == nullptr) CHECK_OK(refill(leg));
      if (head.batch != nullptr) tree_->set(leg, head.batch->rows[head.at].key);
    }
    tree_->build();
  }
  if (used_up_) {
    const std::size_t leg = tree_->winner();
    forget(heads_[leg]);
    CHECK_OK(refill(leg));
    used_up_ = false;
    heads_[leg].batch != nullptr ? tree_->replace(heads_[leg].batch->rows[0].key) : tree_->remove();
  }
  while (!used_up_ && !tree_->done() && out.size() < merged_rows_) {
    Taken& head = heads_[tree_->winner()];
    out.rows.push_back(head.batch->rows[head.at]);
    used_up_ = ++head.at == head.rows;
    if (!used_up_) tree_->replace(head.batch->rows[head.at].key);
  }
  merged_rows_ = std::min(2 * merged_rows_, query::Batch::kRows);
  return {};
}

LegFigures FanOut::figures(std::size_t leg) const {
  LegFigures figures = seats_[leg].figures;
  figures.keys = seats_[leg].scan->scan().keys_examined();
  figures.documents = seats_[leg].scan->scan().documents_examined();
  figures.matched = seats_[leg].scan->matched();
  return figures;
}

bool FanOut::scanned_to_the_end() const {
  return std::ranges::all_of(seats_, [](const Seat& seat) { return seat.scan->exhausted(); });
}

}  // namespace partita::shards
