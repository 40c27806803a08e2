// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>


namespace partita::shards {

class Store;

/// One thread that brings the log to the disk for all who wait: those that come while it syncs are served together by
/// the next sync. Nobody else ever blocks on a sync.
///
/// Without waiters it syncs so often that what was written is on disk `interval` later, which is what a power cut can take
/// at most. A write just missed by one sync is caught by the next, so the next has to end within an interval of this one's
/// beginning: it begins earlier by as long as syncs have lately taken. Where a sync takes more than half an interval they
/// follow one another without a pause, and the bound is two of them.
class JournalSync {
 public:
  JournalSync(Store& store, std::uint32_t interval_ms);
  /// Serves those who wait, then ends.
  ~JournalSync();

  /// `synced` is called on the sync thread, with everything written to the log before this call on disk.
  void when_synced(std::function<void()> synced);

 private:
  void run();
  void sync();

  Store& store_;
  const std::chrono::milliseconds interval_;
  std::chrono::steady_clock::time_point next_;       ///< When the next one begins, waiters or not.
  std::chrono::steady_clock::duration expected_{0};  ///< How long it may take: the longest so far, half forgotten in 20 s.
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::vector<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace partita::shards
