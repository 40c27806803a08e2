// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace partita::wire {

/// A function to call once, with what it captured stored inside: handing work to a thread allocates nothing. What is
/// too large to fit does not compile: capture a pointer then. Moved, never copied.
class Job {
 public:
  static constexpr std::size_t kRoom = 48;

  Job() = default;
  template <class Function>
    requires(!std::is_same_v<std::remove_cvref_t<Function>, Job>)
  Job(Function&& function) : actions_(&kActionsFor<std::decay_t<Function>>) {  // NOLINT: implicit, as std::function is.
    using Stored = std::decay_t<Function>;
    static_assert(sizeof(Stored) <= kRoom, "capture less, or a pointer to it");
    static_assert(alignof(Stored) <= alignof(std::max_align_t) && std::is_nothrow_move_constructible_v<Stored>);
    ::new (room_.data()) Stored(std::forward<Function>(function));
  }
  Job(Job&& other) noexcept : actions_(std::exchange(other.actions_, nullptr)) {
    if (actions_ != nullptr) actions_->move(other.room_.data(), room_.data());
  }
  Job& operator=(Job&& other) noexcept {
    if (this != &other) {
      reset();
      actions_ = std::exchange(other.actions_, nullptr);
      if (actions_ != nullptr) actions_->move(other.room_.data(), room_.data());
    }
    return *this;
  }
  ~Job() { reset(); }

  explicit operator bool() const { return actions_ != nullptr; }
  void operator()() { actions_->call(room_.data()); }

 private:
  struct Actions {
    void (*call)(void* stored);
    void (*move)(void* from, void* to);  ///< Leaves nothing behind at `from`.
    void (*destroy)(void* stored);
  };
  template <class Stored>
  static constexpr Actions kActionsFor{
      [](void* stored) { (*static_cast<Stored*>(stored))(); },
      [](void* from, void* to) {
        ::new (to) Stored(std::move(*static_cast<Stored*>(from)));
        static_cast<Stored*>(from)->~Stored();
      },
      [](void* stored) { static_cast<Stored*>(stored)->~Stored(); }};

  void reset() {
    if (actions_ != nullptr) std::exchange(actions_, nullptr)->destroy(room_.data());
  }

  const Actions* actions_ = nullptr;
  alignas(std::max_align_t) std::array<std::byte, kRoom> room_;
};

}  // namespace partita::wire
