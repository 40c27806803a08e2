// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "wire/error/status.h"

namespace partita::query {

/// Whether what is computed shall go on, for those who may compute for long over one document: loops of expressions, long
/// arrays compared with long arrays. Who runs a query implements it and knows the reasons (a clock, a client that has gone);
/// here only the work is counted, so that the question is asked every some ten microseconds of it. One thread.
class Interrupt {
 public:
  static constexpr std::int64_t kSteps = 4096;  ///< From one question to the next: steps of a nanosecond or a few.
  static constexpr std::int64_t kRound = 16;    ///< What a round of a loop counts.
  static constexpr std::int64_t kCompare = 8;   ///< What a comparison of two values counts.

  virtual ~Interrupt() = default;

  /// So much has been done. Fails when the work shall end, and from then on always.
  Status spend(std::int64_t steps) {
    left_ -= steps;
    if (left_ > 0) [[likely]] return {};
    return look();
  }
  /// The same to whoever may end what this thread does; nobody may outside of an Interruptible.
  static Status pass(std::int64_t steps) { return on_this_thread != nullptr ? on_this_thread->spend(steps) : Status(); }
  /// For those who cannot fail where they notice, in the middle of a sort: false when the work shall end.
  bool goes_on(std::int64_t steps) {
    left_ -= steps;
    if (left_ > 0) [[likely]] return true;
    return failure_.ok() && look().ok();
  }
  /// Why this thread's work has to end, if it has: for those who have made something else of the failure.
  static Status reason() { return on_this_thread != nullptr ? on_this_thread->failure_ : Status(); }
  static Interrupt* here() { return on_this_thread; }

 private:
  friend class Interruptible;
  virtual Status check() = 0;
  Status look();

  std::int64_t left_ = kSteps;
  Status failure_;
  inline static thread_local Interrupt* on_this_thread = nullptr;
};

/// Says, for as long as it lives, who may end what this thread computes. Scopes nest: the innermost is asked.
class Interruptible {
 public:
  explicit Interruptible(Interrupt& by) : outer_(Interrupt::on_this_thread) { Interrupt::on_this_thread = &by; }
  ~Interruptible() { Interrupt::on_this_thread = outer_; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  Interrupt* const outer_;
};

/// An order for a sort of very many values, which cannot fail: once the work shall end, all are equal and the sort is soon
/// over. Ask Interrupt::reason() behind it.
template <class Order>
auto stoppable(Order order) {
  return [order, interrupt = Interrupt::here()](const auto& a, const auto& b) {
    return (interrupt == nullptr || interrupt->goes_on(Interrupt::kCompare)) && order(a, b);
  };
}

}  // namespace partita::query
