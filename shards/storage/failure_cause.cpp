// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/storage/failure_cause.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace partita::shards {
namespace {

struct FirstPanic {
  std::atomic<bool> seen{false};
  std::mutex mutex;
  FailureCause cause;
};
FirstPanic& first_panic() {
  static FirstPanic panic;
  return panic;
}

}  // namespace

FailureCause& FailureCause::of_this_thread() {
  thread_local FailureCause cause;
  return cause;
}

FailureCause FailureCause::of_the_panic() {
  FirstPanic& panic = first_panic();
  const std::lock_guard lock(panic.mutex);
  return panic.cause;
}

bool FailureCause::engine_has_panicked() { return first_panic().seen.load(std::memory_order_acquire); }

void FailureCause::begin() {
  FirstPanic& panic = first_panic();
  panic.seen.store(false, std::memory_order_release);
  const std::lock_guard lock(panic.mutex);
  panic.cause = {};
  of_this_thread() = {};
}

void FailureCause::hear(int code, const char* directory) {
  if (directory != nullptr) directory_ = directory;
  if (code > 0 && !panicked_) system_code_ = code;  // WiredTiger's own codes are negative.
  if (code != WT_PANIC || std::exchange(panicked_, true)) return;
  FirstPanic& panic = first_panic();
  panic.seen.store(true, std::memory_order_release);
  const std::lock_guard lock(panic.mutex);
  if (!panic.cause.panicked_) panic.cause = *this;
}

}  // namespace partita::shards
