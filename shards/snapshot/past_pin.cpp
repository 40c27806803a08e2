// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/past_pin.h"

#include <algorithm>

#include "shards/store.h"

namespace partita::shards {

Time PastPins::lowest(Time otherwise) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  for (Pin& pin : pins_) {
    if (pin.resting && now - pin.since > longest_) pin.given_up = true;
    if (!pin.given_up) otherwise = std::min(otherwise, pin.time);
  }
  return otherwise;
}

void PastPins::set_longest(std::chrono::milliseconds longest) {
  const std::lock_guard lock(mutex_);
  longest_ = longest;
}

PastPin PastPin::now(Store& store) {
  PastPins& pins = store.past_pins();
  const auto past = store.hold_past();
  const Time time = store.positions().read_time();
  const std::lock_guard lock(pins.mutex_);
  return PastPin(pins, pins.pins_.insert(pins.pins_.end(), {.time = time, .since = PastPins::Clock::now()}));
}

PastPin::~PastPin() {
  if (pins_ == nullptr) return;
  const std::lock_guard lock(pins_->mutex_);
  pins_->pins_.erase(pin_);
}

void PastPin::move_to(Time later) {
  const std::lock_guard lock(pins_->mutex_);
  pin_->time = time_ = later;
}

void PastPin::rest() {
  const std::lock_guard lock(pins_->mutex_);
  pin_->resting = true;
}

bool PastPin::wake() {
  const std::lock_guard lock(pins_->mutex_);
  pin_->resting = false;
  return !pin_->given_up;
}

}  // namespace partita::shards
