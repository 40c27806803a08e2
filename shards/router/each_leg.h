// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/router/crew.h"
#include "shards/router/leg_scan.h"

namespace partita::shards {

/// Work on legs whose rows are not handed on: they are counted, sorted, summed up.
struct EachLeg {
  std::size_t legs = 0;
  /// All of one leg, in one of the threads: numbers below threads().
  std::function<Status(std::size_t leg, unsigned thread)> work;
  /// At the end of each thread that has done any.
  std::function<Status(unsigned thread)> finish = {};
};

/// Does the work of all legs, each once, begun in their order, and returns when no thread is at it any more. Of several
/// failures that of the first leg is returned, the same one whatever the number of threads; what comes behind a failure
/// is not begun. `interrupted` is asked by all threads.
Status for_each_leg(const EachLeg& each, const CrewSize& size, LegControl& control, std::function<Status()> interrupted);

/// Threads at most, the caller's among them.
inline unsigned threads(const CrewSize& size) { return size.helpers + 1; }

}  // namespace partita::shards
