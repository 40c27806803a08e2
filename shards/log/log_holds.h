// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>
#include <set>

#include "shards/log/record.h"

namespace partita::shards {

/// Where in the data log somebody still wants to read: nothing from there on is trimmed, however long the log grows.
/// Thread-safe.
class LogHolds {
 public:
  Sequence lowest() const {
    const std::lock_guard lock(mutex_);
    return held_.empty() ? ~Sequence{0} : *held_.begin();
  }

 private:
  friend class LogHold;
  mutable std::mutex mutex_;
  std::multiset<Sequence> held_;
};

/// Holds the log from one record on, for as long as it lives. One thread.
class LogHold {
 public:
  LogHold(LogHolds& holds, Sequence from) : holds_(holds) {
    const std::lock_guard lock(holds_.mutex_);
    at_ = holds_.held_.insert(from);
  }
  LogHold(const LogHold&) = delete;
  LogHold& operator=(const LogHold&) = delete;
  ~LogHold() {
    const std::lock_guard lock(holds_.mutex_);
    holds_.held_.erase(at_);
  }
  /// What comes before is not wanted any more.
  void move_to(Sequence from) {
    const std::lock_guard lock(holds_.mutex_);
    const auto old = std::exchange(at_, holds_.held_.insert(from));
    holds_.held_.erase(old);
  }

 private:
  LogHolds& holds_;
  std::multiset<Sequence>::iterator at_;
};

}  // namespace partita::shards
