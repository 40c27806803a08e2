// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "wire/error/status.h"

namespace partita::shards {

/// Ends a walk that has to look at far more than was thought when it was planned. One for all legs of a query, whose threads
/// tell it what they do.
class WalkBound {
 public:
  virtual ~WalkBound() = default;
  /// So many more rows have been looked at, and so many of them have matched. Fails where that is too much.
  virtual Status note(std::int64_t looked_at, std::int64_t matched) = 0;
};

/// What one walk has told so far. Rows between two reports: kWalkReportInterval.
class WalkReport {
 public:
  Status tell(WalkBound* bound, std::int64_t looked_at, std::int64_t matched) {
    if (bound == nullptr) return {};
    const std::int64_t more = looked_at - looked_at_;
    const std::int64_t more_matched = matched - matched_;
    looked_at_ = looked_at;
    matched_ = matched;
    return bound->note(more, more_matched);
  }

 private:
  std::int64_t looked_at_ = 0;
  std::int64_t matched_ = 0;
};

constexpr std::int64_t kWalkReportInterval = 64;

}  // namespace partita::shards
