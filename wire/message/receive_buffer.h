// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "wire/bson/buffer.h"

namespace partita::wire {

/// Bytes as they come from a peer, used up from the front. Its memory follows what has been received, never what a
/// header claims: it at most doubles, and only when three quarters are taken by a message that needs more.
/// prepare() may move the bytes, so nothing may look into them across that call.
class ReceiveBuffer {
 public:
  static constexpr std::size_t kInitial = 4 * 1024;  ///< One page: ten thousand idle connections are forty megabytes.
  static constexpr std::size_t kKeep = 64 * 1024;    ///< What trim() leaves.

  std::span<const std::uint8_t> bytes() const { return buffer_.bytes().subspan(begin_); }
  std::size_t capacity() const { return buffer_.capacity(); }
  bool empty() const { return buffer_.empty(); }

  /// Works in this memory from now on. While nothing is held, reclaim() takes it away again, grown or not: connections
  /// that are idle can so share the buffers of those that are not.
  void lend(bson::Buffer memory) {
    assert(empty());
    buffer_ = std::move(memory);
  }
  bson::Buffer reclaim() {
    assert(empty());
    return std::exchange(buffer_, bson::Buffer());
  }

  /// How much is held where prepare(wanted) will have to take more memory; else 0.
  std::size_t outgrows(std::size_t wanted) const {
    const std::size_t held = buffer_.size() - begin_;
    const std::size_t room = buffer_.capacity() - held;
    return room < wanted && room * 4 <= held ? held : 0;
  }
  /// What is held goes on in this memory, which has room for it; the old one is returned.
  bson::Buffer move_into(bson::Buffer memory) {
    assert(memory.capacity() >= buffer_.size() - begin_);
    memory.clear();
    memory.append(bytes());
    begin_ = 0;
    return std::exchange(buffer_, std::move(memory));
  }

  /// Room for the next read. `wanted` is how much is known to be missing; the room may be less or more, never none.
  std::span<std::uint8_t> prepare(std::size_t wanted) {
    if (room() < wanted && begin_ > 0) move_to_front();
    if (room() < wanted && room() * 4 <= buffer_.size()) buffer_.reserve(std::max(kInitial, buffer_.size() + 1));
    return {buffer_.prepare(0), room()};
  }
  void commit(std::size_t received) { buffer_.commit(received); }

  void consume(std::size_t used) {
    assert(used <= bytes().size());
    begin_ += used;
    if (begin_ < buffer_.size()) return;
    buffer_.clear();
    begin_ = 0;
    forget_peak(used);
  }
  /// Gives back what one large message has left behind. For a connection that has gone quiet; busy ones get there by
  /// themselves once their messages have become small.
  void trim() {
    if (buffer_.empty()) buffer_.shrink(kKeep);
  }

 private:
  std::size_t room() const { return buffer_.capacity() - buffer_.size(); }
  void move_to_front() {
    const std::size_t held = buffer_.size() - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, held);
    buffer_.truncate(held);
    begin_ = 0;
  }
  void forget_peak(std::size_t used) {
    constexpr unsigned kSmallInARow = 32;
    if (buffer_.capacity() <= kKeep) return;
    small_in_a_row_ = used * 4 < buffer_.capacity() ? small_in_a_row_ + 1 : 0;
    if (small_in_a_row_ >= kSmallInARow) trim();
  }

  bson::Buffer buffer_;
  std::size_t begin_ = 0;
  unsigned small_in_a_row_ = 0;
};

}  // namespace partita::wire
