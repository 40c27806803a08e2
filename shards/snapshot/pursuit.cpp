// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/pursuit.h"

#include <algorithm>
#include <utility>

namespace partita::shards {
namespace {

/// All but a 64th of the time: batches in flight come in even so.
constexpr int kHardest = 6;
/// So many rounds that do not grow shorter even then: nothing more can be done.
constexpr int kHardestRounds = 5;
constexpr std::chrono::microseconds kPeriod{20000};
/// Nobody waits longer for doors to open, but for the time until somebody looks at the clock again.
constexpr std::chrono::milliseconds kLongestHold{100};

}  // namespace

Pursuit::Pursuit(std::span<const PartitionSlot> slots, std::size_t few) : slots_(slots), few_(few) {}

bool Pursuit::goes_on(std::size_t touched) {
  const std::size_t before = std::exchange(last_, touched);
  pressed_ = 0;
  const bool shorter = touched <= before - before / 4;
  const bool more = touched > few_ && (shorter || press());
  if (!more) let_go();
  return more;
}

/// After a round that was not shorter. False where nothing more can be done.
bool Pursuit::press() {
  if (pressure_ == kHardest) return ++rounds_ < kHardestRounds;
  if (pressure_++ == 0) opened_ = Clock::now();
  return true;
}

// A round that leaves more than it had to do makes all behind it longer: it is not waited for the end of it.
void Pursuit::tick(Sequence round, Sequence added) {
  if (pressure_ < kHardest && added > std::max<Sequence>(round, few_) * (1 + pressed_)) {
    ++pressed_;
    press();
  }
  if (pressure_ == 0) return;
  const auto now = Clock::now();
  if (now < next_) return;
  const int parts = 1 << pressure_;
  if (holds_) {
    let_go();
    next_ = now + kPeriod / parts;
  } else {
    // They may have been open for longer than was meant: where looks are rare, it is not the clock that tells how long.
    const Clock::duration open_for = std::max<Clock::duration>(now - opened_, kPeriod / parts);
    hold();
    next_ = now + std::min<Clock::duration>(open_for * (parts - 1), kLongestHold);
  }
}

void Pursuit::hold() {
  for (const PartitionSlot& slot : slots_) slot.partition->gate().hold();
  holds_ = true;
}

void Pursuit::let_go() {
  if (!std::exchange(holds_, false)) return;
  opened_ = Clock::now();
  for (const PartitionSlot& slot : slots_) slot.partition->gate().let_go();
}

}  // namespace partita::shards
