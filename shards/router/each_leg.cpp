// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/router/each_leg.h"

namespace partita::shards {
namespace {

/// What the threads share.
class Queue {
 public:
  Queue(const EachLeg& each, const LegControl& control) : each_(each), control_(control) {}

  void work(unsigned thread) {
    LegInterrupt interrupt(control_);
    const query::Interruptible here(interrupt);
    bool any = false;
    while (const auto leg = next()) {
      any = true;
      note(*leg, each_.work(*leg, thread));
    }
    if (any && each_.finish && !failed()) note(each_.legs, each_.finish(thread));
  }
  Status outcome() { return std::move(failure_); }

 private:
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (next_ >= failed_) return std::nullopt;
    return next_++;
  }
  bool failed() {
    const std::lock_guard lock(mutex_);
    return !failure_.ok();
  }
  void note(std::size_t leg, Status status) {
    if (status.ok()) return;
    const std::lock_guard lock(mutex_);
    if (!failure_.ok() && leg >= failed_) return;
    failed_ = leg;
    failure_ = std::move(status);
  }

  const EachLeg& each_;
  const LegControl& control_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t failed_ = each_.legs;  ///< The first leg that has; those before it go on.
  Status failure_;
};

}  // namespace

Status for_each_leg(const EachLeg& each, const CrewSize& size, LegControl& control, std::function<Status()> interrupted) {
  Queue queue(each, control);
  Crew crew(size, [&](unsigned thread) { queue.work(thread); });
  control.interrupted = [&] {
    crew.look_up();
    return interrupted ? interrupted() : Status();
  };
  crew.start();
  queue.work(0);
  crew.dismiss();
  control.interrupted = {};
  return queue.outcome();
}

}  // namespace partita::shards
