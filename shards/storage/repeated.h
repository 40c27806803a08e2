// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/error/status.h"

namespace partita::shards {

/// Something that is tried again and again, and may fail for hours on a full disk. The log hears when it begins to fail,
/// when the reason changes and when it works again; the numbers tell how often. note() by one thread at a time.
class Repeated {
 public:
  /// `what` as in "Checkpoint".
  Repeated(int log_id, std::string_view what) : log_id_(log_id), what_(what) {}

  void note(const Status& outcome);
  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::int64_t failed() const { return failed_.load(std::memory_order_relaxed); }

 private:
  const int log_id_;
  const std::string_view what_;
  std::string reason_;  ///< Of the last failure; empty while it works.
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> failed_{0};
};

}  // namespace partita::shards
