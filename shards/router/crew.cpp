// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/crew.h"

#include <algorithm>

namespace partita::shards {

namespace {

/// About as many as one thread looks at while another one wakes up, ten times over.
constexpr std::int64_t kManyRows = 4096;

std::atomic<std::int64_t> helpers_at_work{0};

}  // namespace

CrewSize crew_size(wire::WorkerPool* pool, std::int64_t degree, std::size_t legs, std::int64_t rows) {
  const std::int64_t cores = std::max<std::int64_t>(std::thread::hardware_concurrency(), 1);
  const auto most = std::min<std::int64_t>(degree < 0 ? cores : degree, static_cast<std::int64_t>(legs));
  return {.pool = pool, .helpers = static_cast<unsigned>(std::max<std::int64_t>(most, 1) - 1), .when_busy = degree < 0 && rows < kManyRows};
}

Crew::Crew(const CrewSize& size, Work work) : size_(size), roster_(std::make_shared<Roster>()) {
  roster_->work = std::move(work);
  roster_->taken.resize(size_.helpers);
}

std::int64_t Crew::helping() { return helpers_at_work.load(std::memory_order_relaxed); }

void Crew::call() {
  called_ = true;
  if (size_.pool == nullptr) return;
  while (roster_->out.load(std::memory_order_relaxed) < size_.helpers) {
    ++roster_->out;
    if (size_.pool->submit([roster = roster_] { help(*roster); })) continue;
    --roster_->out;  // The pool is full: so be it.
    return;
  }
}

void Crew::help(Roster& roster) {
  join(roster);
  --roster.out;
}

void Crew::join(Roster& roster) {
  std::unique_lock lock(roster.mutex);
  const auto place = std::ranges::find(roster.taken, false);
  if (roster.closed || place == roster.taken.end()) return;
  *place = true;
  ++roster.inside;
  ++helpers_at_work;
  lock.unlock();
  roster.work(static_cast<unsigned>(place - roster.taken.begin()) + 1);
  lock.lock();
  *place = false;
  --helpers_at_work;  // Before whoever waits for it is told.
  --roster.inside;
  roster.left.notify_all();
}

void Crew::dismiss() {
  std::unique_lock lock(roster_->mutex);
  roster_->closed = true;
  roster_->left.wait(lock, [&] { return roster_->inside == 0; });
}

}  // namespace partita::shards
