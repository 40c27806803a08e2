// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/journal_sync.h"

#include <pthread.h>

#include <algorithm>

#include "shards/store.h"

namespace partita::shards {

JournalSync::JournalSync(Store& store, std::uint32_t interval_ms)
    : store_(store), interval_(interval_ms), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), "journal-sync");
}

JournalSync::~JournalSync() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wanted_.notify_one();
  thread_.join();
}

void JournalSync::when_synced(std::function<void()> synced) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(synced));
    if (waiting_.size() > 1) return;  // The first has woken the thread already.
  }
  wanted_.notify_one();
}

void JournalSync::sync() {
  const auto begun = std::chrono::steady_clock::now();
  store_.sync_log();
  const auto took = std::chrono::steady_clock::now() - begun;
  expected_ = std::min<std::chrono::steady_clock::duration>(std::max(took, expected_ - expected_ / 256), interval_);
  next_ = begun + interval_ - expected_;
}

void JournalSync::run() {
  std::vector<std::function<void()>> served;
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait_until(lock, next_, [&] { return stopping_ || !waiting_.empty(); });
    const bool last_round = stopping_ && waiting_.empty();
    served.swap(waiting_);
    lock.unlock();
    sync();
    for (auto& synced : served) synced();
    served.clear();
    lock.lock();
    if (last_round) return;
  }
}

}  // namespace partita::shards
