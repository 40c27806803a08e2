// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <coroutine>
#include <exception>

namespace partita::wire {

/// A coroutine that starts at once, belongs to itself and is gone when it ends: the life of a connection.
/// asio::awaitable would do the same, at the price of a frame or a handler per await and of no way to be resumed by
/// anything but an Asio operation; here whoever suspends it keeps the std::coroutine_handle and resumes it with a call.
struct Task {
  struct promise_type {
    Task get_return_object() noexcept { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }
  };
};

}  // namespace partita::wire
