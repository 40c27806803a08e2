// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/tail.h"

namespace partita::shards {

// One who waits counts itself and then looks at changes(); one who changes counts that and then looks for who waits. So at
// least one of the two sees the other.
void Tail::changed() {
  changes_.fetch_add(1, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  for (const Waiter* waiter : waiters_) waiter->wake_();
}

Tail::Waiter::Waiter(Tail& tail, std::function<void()> wake) : tail_(tail), wake_(std::move(wake)) {
  const std::lock_guard lock(tail_.mutex_);
  place_ = tail_.waiters_.insert(tail_.waiters_.end(), this);
  tail_.waiting_.fetch_add(1, std::memory_order_seq_cst);
}

Tail::Waiter::~Waiter() {
  const std::lock_guard lock(tail_.mutex_);
  tail_.waiting_.fetch_sub(1, std::memory_order_seq_cst);
  tail_.waiters_.erase(place_);
}

}  // namespace partita::shards
