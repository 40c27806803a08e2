// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "shards/storage/engine.h"

namespace partita::shards {

/// One thread that brings the journal to the disk for all who wait: those that come while it syncs are served together by
/// the next sync. Without waiters it syncs every interval in which something was written, which bounds what a power cut
/// can take. Nobody else ever blocks on a sync.
class JournalSync {
 public:
  JournalSync(Engine& engine, std::uint32_t interval_ms);
  /// Serves those who wait, then ends.
  ~JournalSync();

  /// `synced` is called on the sync thread, with everything journaled before this call on disk.
  void when_synced(std::function<void()> synced);

 private:
  void run();

  Engine& engine_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::vector<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace partita::shards
