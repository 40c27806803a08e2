// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <list>
#include <mutex>
#include <utility>

#include "shards/log/record.h"

namespace partita::shards {

class Store;

/// Moments of the past that readers come back to. While one is pinned its versions stay, though no transaction is open.
/// Thread-safe.
class PastPins {
 public:
  /// A reader who rests longer than that after its beginning has to find another moment: old versions pile up.
  static constexpr std::chrono::seconds kLongest{60};

  /// The earliest of `otherwise` and what is pinned; pins that have rested too long are given up. Whoever asks keeps others
  /// from taking pins meanwhile (Store::hold_past).
  Time lowest(Time otherwise);
  /// In place of kLongest, for tests.
  void set_longest(std::chrono::milliseconds longest);

 private:
  friend class PastPin;
  using Clock = std::chrono::steady_clock;
  struct Pin {
    Time time = 0;
    Clock::time_point since;
    bool resting = false;
    bool given_up = false;
  };
  std::mutex mutex_;
  std::list<Pin> pins_;
  std::chrono::milliseconds longest_ = kLongest;
};

/// The moment at which one query reads all that it reads: everything acknowledged before now() is seen, nothing later. One
/// thread at a time, but for time().
class PastPin {
 public:
  static PastPin now(Store& store);
  PastPin(PastPin&& other) noexcept : pins_(std::exchange(other.pins_, nullptr)), pin_(other.pin_), time_(other.time_) {}
  PastPin& operator=(PastPin&&) = delete;
  ~PastPin();

  Time time() const { return time_; }
  /// A later moment is the one to be kept.
  void move_to(Time later);
  /// Nobody reads for now: the moment is kept for a while, not for ever.
  void rest();
  /// Reading goes on. False when the moment has been given up.
  [[nodiscard]] bool wake();

 private:
  PastPin(PastPins& pins, std::list<PastPins::Pin>::iterator pin) : pins_(&pins), pin_(pin), time_(pin->time) {}

  PastPins* pins_;
  std::list<PastPins::Pin>::iterator pin_;
  Time time_;
};

}  // namespace partita::shards
