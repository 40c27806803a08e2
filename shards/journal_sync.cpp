// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/journal_sync.h"

#include <pthread.h>

#include <cstdio>
#include <cstdlib>

namespace partita::shards {

JournalSync::JournalSync(Engine& engine, std::uint32_t interval_ms)
    : engine_(engine), interval_(interval_ms), thread_([this] { run(); }) {
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

void JournalSync::run() {
  std::vector<std::function<void()>> served;
  std::unique_lock lock(mutex_);
  while (true) {
    wanted_.wait_for(lock, interval_, [&] { return stopping_ || !waiting_.empty(); });
    const bool last_round = stopping_ && waiting_.empty();
    served.swap(waiting_);
    lock.unlock();
    if (Status status = engine_.sync_journal(); !status.ok()) {
      // A failed sync cannot be tried again: the kernel may have dropped the pages. Waiters must not be told that their
      // writes are safe, so the process ends and recovery decides.
      std::fprintf(stderr, "the journal could not be synced: %s\n", status.message().c_str());
      std::abort();
    }
    for (auto& synced : served) synced();
    served.clear();
    lock.lock();
    if (last_round) return;
  }
}

}  // namespace partita::shards
