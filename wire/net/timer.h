// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace partita::wire {

/// One thread that calls functions when their time has come: deadlines of waiting requests, retries, expiries. The
/// functions must be short (wake something, submit a job), for they share the thread. Any thread may use it; it must
/// outlive its alarms.
class Timers {
 public:
  using Clock = std::chrono::steady_clock;

  /// Rings once, unless it is destroyed before. Destroying it while its function runs waits for the function, except
  /// from inside that function: afterwards nothing that the function touches is needed any more.
  class Alarm {
   public:
    Alarm() = default;
    Alarm(Alarm&& other) noexcept : timers_(std::exchange(other.timers_, nullptr)), key_(other.key_) {}
    Alarm& operator=(Alarm&& other) noexcept {
      std::swap(timers_, other.timers_);
      std::swap(key_, other.key_);
      return *this;
    }
    ~Alarm() { cancel(); }
    void cancel() {
      if (timers_ != nullptr) std::exchange(timers_, nullptr)->cancel(key_);
    }

   private:
    friend class Timers;
    using Key = std::pair<Clock::time_point, std::uint64_t>;  ///< The number tells equal times apart.
    Alarm(Timers* timers, Key key) : timers_(timers), key_(key) {}
    Timers* timers_ = nullptr;
    Key key_;
  };

  Timers();
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  /// Alarms that have not rung are forgotten.
  ~Timers();

  [[nodiscard]] Alarm at(Clock::time_point when, std::function<void()> ring);
  [[nodiscard]] Alarm after(Clock::duration delay, std::function<void()> ring) {
    return at(Clock::now() + delay, std::move(ring));
  }

 private:
  void run();
  void cancel(const Alarm::Key& key);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable rung_;
  std::map<Alarm::Key, std::function<void()>> alarms_;
  std::uint64_t next_number_ = 0;
  std::uint64_t ringing_ = 0;  ///< The number of the alarm whose function runs just now, or 0.
  bool stopping_ = false;
  std::thread thread_;
};

/// A thread that does one thing again and again: a flush, a checkpoint, an expiry. The work may block. The pause is
/// counted from the end of one run to the start of the next, so runs never pile up.
class Periodic {
 public:
  Periodic(std::string name, std::chrono::milliseconds every, std::function<void()> work);
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;
  ~Periodic() { stop(); }

  /// Runs the work as soon as possible instead of at the end of the pause. Does not wait for it.
  void hurry();
  /// Returns when a run that has begun is over; no other begins.
  void stop();

 private:
  void run(const std::string& name, std::chrono::milliseconds every);

  std::function<void()> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool hurried_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace partita::wire
