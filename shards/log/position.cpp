// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/position.h"

namespace partita::shards {

Positions::Positions(HybridClock& clock, std::size_t logs)
    : clock_(clock), next_(logs, 1), epochs_(logs, 1), flights_(kWindow) {}

void Positions::resume(LogId log, Epoch epoch, Sequence next) {
  const std::lock_guard lock(mutex_);
  epochs_[static_cast<std::size_t>(log)] = epoch;
  next_[static_cast<std::size_t>(log)] = next;
  last_given_ = clock_.now();
  visible_.store(last_given_, std::memory_order_release);
}

Sequence Positions::next_sequence(LogId log) const {
  const std::lock_guard lock(mutex_);
  return next_[static_cast<std::size_t>(log)];
}

void Positions::resume_places(Place end) {
  const std::lock_guard lock(mutex_);
  places_end_ = end;
  settled_place_.store(end, std::memory_order_release);
}

Position Positions::take(LogId log, Place place, std::uint32_t room) {
  const std::lock_guard lock(mutex_);
  const auto index = static_cast<std::size_t>(log);
  if (next_ticket_ - first_in_flight_ == flights_.size()) grow();
  const Position position{log, epochs_[index], next_[index]++, clock_.tick(), next_ticket_++, place, room};
  flight(position.ticket) = {position.commit_time, place, false};
  last_given_ = position.commit_time;
  places_end_ = place + room;
  return position;
}

void Positions::done(const Position& position) {
  {
    const std::lock_guard lock(mutex_);
    flight(position.ticket).done = true;
    if (position.ticket != first_in_flight_) return;
    advance();
  }
  if (waiters_.load(std::memory_order_acquire) > 0) advanced_.notify_all();
}

void Positions::grow() {
  std::vector<Flight> larger(flights_.size() * 2);
  for (std::uint64_t ticket = first_in_flight_; ticket != next_ticket_; ++ticket) larger[ticket % larger.size()] = flight(ticket);
  flights_ = std::move(larger);
}

void Positions::advance() {
  while (first_in_flight_ != next_ticket_ && flight(first_in_flight_).done) ++first_in_flight_;
  // With nothing in flight everything given out is visible; else all that came before the first still flying.
  const bool all = first_in_flight_ == next_ticket_;
  const Flight& first = flight(first_in_flight_);
  settled_place_.store(all ? places_end_ : first.place, std::memory_order_release);
  visible_.store(all ? last_given_ : first.time - 1, std::memory_order_release);
}

Time Positions::read_time() {
  Time last = 0;
  {
    const std::lock_guard lock(mutex_);
    last = last_given_;
  }
  wait_visible(last);
  return last;
}

void Positions::wait_visible(Time time) {
  // Flights last microseconds: look again a few times before sleeping.
  for (int spin = 0; spin < 200; ++spin) {
    if (visible() >= time) return;
    __builtin_ia32_pause();
  }
  std::unique_lock lock(mutex_);
  waiters_.fetch_add(1);
  advanced_.wait(lock, [&] { return visible() >= time; });
  waiters_.fetch_sub(1);
}

}  // namespace partita::shards
