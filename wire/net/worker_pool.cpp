// SPDX-License-Identifier: GPL-3.0-or-later
#include "wire/net/worker_pool.h"

#include "wire/net/thread_name.h"

namespace partita::wire {

WorkerPool::WorkerPool(std::string name, unsigned threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this, thread_name = name + std::to_string(i)] { work(thread_name); });
}

bool WorkerPool::submit(Job&& job) {
  {
    const std::lock_guard lock(mutex_);
    if (draining_ || jobs_.size() >= max_waiting_) return false;
    jobs_.push_back(std::move(job));
  }
  arrived_.notify_one();
  return true;
}

void WorkerPool::drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  arrived_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

std::size_t WorkerPool::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

void WorkerPool::work(const std::string& name) {
  name_this_thread(name);
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return draining_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace partita::wire
