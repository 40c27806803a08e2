// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/timer.h"

#include "wire/net/thread_name.h"

namespace partita::wire {

Timers::Timers() {
  thread_ = std::thread([this] { run(); });
}

Timers::~Timers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

Timers::Alarm Timers::at(Clock::time_point when, std::function<void()> ring) {
  bool first = false;
  Alarm::Key key;
  {
    const std::lock_guard lock(mutex_);
    key = {when, ++next_number_};
    const auto added = alarms_.emplace(key, std::move(ring)).first;
    first = added == alarms_.begin();
  }
  if (first) changed_.notify_one();
  return Alarm(this, key);
}

void Timers::cancel(const Alarm::Key& key) {
  std::function<void()> forgotten;  // Destroyed outside the lock: what it captured may itself hold an alarm.
  std::unique_lock lock(mutex_);
  if (const auto found = alarms_.find(key); found != alarms_.end()) {
    forgotten = std::move(found->second);
    alarms_.erase(found);
    lock.unlock();
    return;
  }
  if (std::this_thread::get_id() != thread_.get_id())
    rung_.wait(lock, [&] { return ringing_ != key.second; });
  lock.unlock();
}

void Timers::run() {
  name_this_thread("timers");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (alarms_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = alarms_.begin();
    if (first->first.first > Clock::now()) {
      const Clock::time_point when = first->first.first;  // A copy: the alarm may be cancelled while we sleep.
      changed_.wait_until(lock, when);
      continue;
    }
    std::function<void()> ring = std::move(first->second);
    ringing_ = first->first.second;
    alarms_.erase(first);
    lock.unlock();
    ring();
    ring = nullptr;
    lock.lock();
    ringing_ = 0;
    rung_.notify_all();
  }
}

Periodic::Periodic(std::string name, std::chrono::milliseconds every, std::function<void()> work)
    : work_(std::move(work)) {
  thread_ = std::thread([this, name = std::move(name), every] { run(name, every); });
}

void Periodic::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
  }
  changed_.notify_one();
}

void Periodic::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Periodic::run(const std::string& name, std::chrono::milliseconds every) {
  name_this_thread(name);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait_for(lock, every, [this] { return hurried_ || stopping_; });
    if (stopping_) return;
    hurried_ = false;
    lock.unlock();
    work_();
    lock.lock();
  }
}

}  // namespace partita::wire
