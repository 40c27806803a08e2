// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/worker_pool.h"

#include <system_error>

#include "wire/net/thread_name.h"

namespace partita::wire {

WorkerPool::WorkerPool(std::string name, unsigned threads, std::size_t max_waiting, Growth growth)
    : name_(std::move(name)), max_waiting_(max_waiting), growth_(growth), idle_(threads) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this, thread_name = name_ + std::to_string(i)] { work(thread_name); });
  if (growth_.most != nullptr) watcher_ = std::thread([this] { watch(); });
}

bool WorkerPool::submit(Job&& job) {
  bool call_watcher = false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_ || jobs_.size() >= max_waiting_) return false;
    jobs_.push_back({std::move(job), Clock::now()});
    if (crowded() && !watching_ && growth_.most != nullptr) call_watcher = watching_ = true;
  }
  arrived_.notify_one();
  if (call_watcher) wanted_.notify_one();
  return true;
}

void WorkerPool::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  wanted_.notify_all();
  if (watcher_.joinable()) watcher_.join();  // Behind it there are no new threads.
  arrived_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
  std::unique_lock lock(mutex_);
  while (!additional_.empty() || !ended_.empty()) {
    join_ended(lock);
    wanted_.wait(lock, [this] { return additional_.empty() || !ended_.empty(); });
  }
}

unsigned WorkerPool::threads() const {
  const std::lock_guard lock(mutex_);
  return static_cast<unsigned>(threads_.size() + additional_.size());
}

std::size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

bool WorkerPool::next(Job& job, const Clock::time_point* deadline) {
  const bool ran = static_cast<bool>(job);
  job = Job();
  const auto ready = [this] { return draining_ || !jobs_.empty(); };
  std::unique_lock lock(mutex_);
  if (ran) ++idle_;
  if (deadline == nullptr) {
    arrived_.wait(lock, ready);
  } else {
    arrived_.wait_until(lock, *deadline, ready);
  }
  if (jobs_.empty()) return false;
  --idle_;
  job = std::move(jobs_.front().job);
  jobs_.pop_front();
  return true;
}

void WorkerPool::work(const std::string& name) {
  name_this_thread(name);
  for (Job job; next(job, nullptr);) job();
}

void WorkerPool::work_for_a_while(Threads::iterator self) {
  name_this_thread(name_ + "+");
  Job job;
  Clock::time_point deadline = Clock::now() + growth_.idle;
  while (next(job, &deadline)) {
    job();
    deadline = Clock::now() + growth_.idle;
  }
  const std::lock_guard lock(mutex_);
  --idle_;
  ended_.splice(ended_.end(), additional_, self);
  wanted_.notify_all();
}

/// Looks at the job that has waited longest: one more thread for each that loses patience.
void WorkerPool::watch() {
  name_this_thread(name_ + "-watch");
  std::unique_lock lock(mutex_);
  while (!draining_) {
    join_ended(lock);
    if (!crowded()) {
      watching_ = false;
      wanted_.wait(lock, [this] { return draining_ || watching_ || !ended_.empty(); });
      watching_ = true;
      continue;
    }
    const Clock::time_point patient_until = jobs_.front().since + growth_.patience;
    if (Clock::now() < patient_until) {
      wanted_.wait_until(lock, patient_until, [this] { return draining_; });
    } else if (threads_.size() + additional_.size() >= growth_.most() || !grow()) {
      wanted_.wait_for(lock, growth_.patience, [this] { return draining_; });
    }
  }
}

bool WorkerPool::grow() {
  const auto place = additional_.emplace(additional_.end());
  try {
    *place = std::thread([this, place] { work_for_a_while(place); });
  } catch (const std::system_error&) {  // The system gives no more: those that are there must do.
    additional_.erase(place);
    return false;
  }
  ++idle_;  // From now on, so that one job does not bring two threads.
  return true;
}

void WorkerPool::join_ended(std::unique_lock<std::mutex>& lock) {
  Threads ended;
  ended.swap(ended_);
  if (ended.empty()) return;
  lock.unlock();
  for (std::thread& thread : ended) thread.join();
  lock.lock();
}

}  // namespace partita::wire
