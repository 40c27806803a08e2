// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "query/sort/key_order.h"
#include "query/sort/row_run.h"
#include "wire/bson/buffer.h"

namespace partita::query {

/// The first `limit` rows of all that are offered, in a heap with the last of them on top. A row that does not make it
/// costs one comparison of its key and is never copied; one that does takes over the memory of the one it drives out.
class TopRows {
 public:
  /// `limit` is at least 1.
  explicit TopRows(std::size_t limit) : limit_(limit) {}

  bool admits(std::span<const std::uint8_t> key) const {
    if (!full()) return true;
    const Entry& last = heap_.front();
    const std::uint64_t prefix = key_prefix(key);
    if (prefix != last.prefix) return prefix < last.prefix;
    return compare_keys(key, slots_[last.slot].key()) < 0;
  }
  /// As many rows as are wanted: from now on one comes in where another goes.
  bool full() const { return heap_.size() >= limit_; }
  /// Of a full one: it admits no key whose key_prefix() is that or more.
  bool beyond(std::uint64_t prefix) const { return prefix > heap_.front().prefix; }
  /// Wants admits(key).
  void add(bson::View document, std::span<const std::uint8_t> key);
  void sort();

  std::size_t size() const { return heap_.size(); }
  SortedRow row(std::size_t index) const;
  std::size_t memory() const { return memory_; }
  /// Of the rows and their keys.
  std::uint64_t bytes() const;

 private:
  struct Slot {
    bson::Buffer bytes;  ///< The key, then the document.
    std::size_t key_size = 0;
    std::span<const std::uint8_t> key() const { return bytes.bytes().first(key_size); }
  };
  struct Entry {
    std::uint64_t prefix;
    std::uint32_t slot;
  };
  bool before(const Entry& a, const Entry& b) const;
  void fill(Slot& slot, bson::View document, std::span<const std::uint8_t> key);

  std::size_t limit_;
  std::vector<Slot> slots_;
  std::vector<Entry> heap_;
  std::size_t memory_ = 0;
};

}  // namespace partita::query
