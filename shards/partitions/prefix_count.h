// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "shards/log/record.h"
#include "shards/partitions/counters.h"

namespace partita::shards {

/// How much of a partition lies before a place, kept true while the partition is written to. Who counts walks over the rows
/// stretch by stretch, each as of a moment of its own, and tells how far he has come; commits tell what they have changed.
/// So it is known at any time, and exactly when the writers are kept out. Nothing old has to be kept for that, and the
/// count keeps up with any writers. Thread-safe; one who counts at a time.
class PrefixCount {
 public:
  /// Asked by every commit: whether it must note its changes.
  bool counts() const { return counting_.load(std::memory_order_acquire); }
  void note(Bytes key, const Growth& growth, Time time);

  /// The place is `from` now, and what lies before that is nothing.
  void begin(std::string_view from);
  void end();
  /// A stretch begins at the place: what is seen of it is as of `moment`, and all changes up to then have been noted.
  void begin_stretch(Time moment);
  /// Before `place`, which is further on, the stretch holds `seen`, and what was there the last time is part of that no more.
  void advance(std::string_view place, const Growth& seen);
  /// Keeps the place as it is now in mind, for return_to_mark().
  void mark();
  void return_to_mark();
  /// The place stays.
  void settle();

  Growth before() const;
  Growth before_mark() const;
  std::string place() const;

 private:
  struct Place {
    std::string key;
    Growth before;
  };
  struct Change {
    std::string key;
    Growth growth;
    Time time;
  };
  void count(std::string_view key, const Growth& growth);

  std::atomic<bool> counting_{false};
  mutable std::mutex mutex_;
  Place front_;
  Place mark_;
  bool settled_ = false;
  std::vector<Change> ahead_;  ///< Behind the place, and later than the stretch's moment.
};

}  // namespace partita::shards
