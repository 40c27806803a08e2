// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "shards/log/frame.h"

namespace partita::shards {

/// Where a record stands and when it commits.
struct Position {
  LogId log = kDataLog;
  Epoch epoch = 0;
  Sequence sequence = 0;
  Time commit_time = 0;
  std::uint64_t ticket = 0;  ///< Counts positions over all logs of this process, for Positions only.
  Place place = 0;           ///< Of its frame, in a log of files.
  std::uint32_t room = 0;    ///< The frame's.
};

/// Gives out positions in time order and knows which are still in flight. Writers run in parallel: each takes its
/// position last thing before it commits, so that times grow along every log, and says when it is done. What lies at or
/// before visible() is all committed (or void), which is what snapshot reads, checkpoints and log readers wait for.
class Positions {
 public:
  static constexpr std::size_t kWindow = 1 << 14;  ///< More in flight than there can be sessions.

  explicit Positions(HybridClock& clock, std::size_t logs = 2);

  /// Where a log goes on after recovery.
  void resume(LogId log, Epoch epoch, Sequence next);
  /// Everything before this place is in order.
  void resume_places(Place end);
  Sequence next_sequence(LogId log) const;

  /// `place` and `room` as in Position: places must come in order, so a log of files takes them under a lock of its own.
  Position take(LogId log, Place place = 0, std::uint32_t room = 0);
  void done(const Position& position);

  /// Every commit at or before this time is visible.
  Time visible() const { return visible_.load(std::memory_order_acquire); }
  /// Everything before this place of the log's files is done.
  Place settled_place() const { return settled_place_.load(std::memory_order_acquire); }
  /// A time at which everything acknowledged so far can be read; waits until all of it is visible.
  Time read_time();
  /// Waits until visible() has reached `time`, which must have been given out.
  void wait_visible(Time time);

  /// A time of its own that no record carries, with every position taken before it earlier and every later one later.
  /// `at_boundary` runs at that moment, under the lock.
  template <class AtBoundary>
  Time boundary(AtBoundary&& at_boundary) {
    const std::lock_guard lock(mutex_);
    const Time time = clock_.tick();
    at_boundary(time, std::as_const(next_));
    if (first_in_flight_ == next_ticket_) visible_.store(time, std::memory_order_release);
    last_given_ = time;
    return time;
  }

 private:
  struct Flight {
    Time time = 0;
    Place place = 0;
    bool done = false;
  };
  Flight& flight(std::uint64_t ticket) { return flights_[ticket % flights_.size()]; }
  void grow();
  void advance();

  HybridClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable advanced_;
  std::vector<Sequence> next_;
  std::vector<Epoch> epochs_;
  std::vector<Flight> flights_;  ///< From the first in flight to the last given out: grows where one takes so long.
  std::uint64_t first_in_flight_ = 0;
  std::uint64_t next_ticket_ = 0;
  Time last_given_ = 0;
  std::atomic<int> waiters_{0};
  std::atomic<Time> visible_{0};
  Place places_end_ = 0;  ///< Behind the last place given out.
  std::atomic<Place> settled_place_{0};
};

}  // namespace partita::shards
