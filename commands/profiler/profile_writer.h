// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "shards/catalog/names.h"
#include "wire/bson/document.h"

namespace partita::shards {
class Store;
}

namespace partita::commands {

/// A thread that writes documents of profiled operations into the collections where they belong, in the order in which they
/// have come. Whoever hands one over never waits: when too much waits already it is dropped, and counted. The thread begins
/// with the first document. Thread-safe.
class ProfileWriter {
 public:
  static constexpr std::size_t kMostWaiting = 10'000;
  static constexpr std::size_t kMostWaitingBytes = 16 << 20;

  explicit ProfileWriter(shards::Store& store) : store_(store) {}
  /// Writes what waits, then ends.
  ~ProfileWriter();
  ProfileWriter(const ProfileWriter&) = delete;
  ProfileWriter& operator=(const ProfileWriter&) = delete;

  /// MongoDB's size of the collection.
  static constexpr std::int32_t kCollectionBytes = 1 << 20;
  /// Makes it where it is not there. NamespaceExists when there is one that is not capped.
  static Status make_collection(shards::Store& store, const shards::Namespace& ns);

  /// A collection that is not there is made, but no database.
  void add(shards::Namespace ns, bson::Document document);

  /// Something waits, or is being written. One relaxed load.
  bool pending() const { return pending_.load(std::memory_order_relaxed) != 0; }
  /// Waits until everything that was there before this call has been written, or dropped. Fails as `interrupted` does.
  Status drain(const std::function<Status()>& interrupted);

  struct Figures {
    std::int64_t written = 0;
    std::int64_t dropped = 0;
    std::int64_t waiting = 0;
  };
  Figures figures() const;

  /// For tests: what comes waits until the hold ends.
  class Hold {
   public:
    explicit Hold(ProfileWriter& writer) : writer_(writer) { writer_.hold(true); }
    ~Hold() { writer_.hold(false); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

   private:
    ProfileWriter& writer_;
  };

 private:
  struct Entry {
    shards::Namespace ns;
    bson::Document document;
  };
  void run();
  /// The first entries that go into one collection, as many as one write may hold.
  std::vector<Entry> take_batch();
  Status write(const std::vector<Entry>& batch);
  void hold(bool held);

  shards::Store& store_;
  std::atomic<std::int64_t> pending_{0};
  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  std::condition_variable advanced_;
  std::deque<Entry> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::int64_t taken_on_ = 0;  ///< Since the start; what is done of them is written or lost.
  std::int64_t written_ = 0;
  std::int64_t lost_ = 0;      ///< Taken on, and could not be written.
  std::int64_t refused_ = 0;   ///< Not taken on.
  bool held_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace partita::commands
