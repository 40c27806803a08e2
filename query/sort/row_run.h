// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

/// Bytes and the key that they sort by, both somebody else's. The key travels beside what it belongs to, never inside: the
/// merge over partitions goes by it.
struct KeyedBytes {
  std::span<const std::uint8_t> bytes;
  std::span<const std::uint8_t> key;
};

/// The same of a document.
struct SortedRow {
  bson::View document;
  std::span<const std::uint8_t> key;
};

/// Rows collected in memory, sorted all at once, then read in order. They are copied; what row() gives lives as long as
/// this, or until clear().
class RowRun {
 public:
  void add(KeyedBytes row);
  void sort();
  void clear();

  std::size_t size() const { return entries_.size(); }
  KeyedBytes row(std::size_t index) const;
  /// Bytes held for rows and for what is kept about them.
  std::size_t memory() const { return memory_; }

 private:
  struct Entry {
    std::uint64_t prefix;      ///< Of the key: decides most comparisons without a look at the row.
    const std::uint8_t* row;   ///< The key, then the bytes.
    std::uint32_t key_size;
    std::uint32_t size;        ///< Of the bytes.
    std::span<const std::uint8_t> key() const { return {row, key_size}; }
  };
  std::uint8_t* allocate(std::size_t size);

  std::vector<Entry> entries_;
  std::vector<std::unique_ptr<std::uint8_t[]>> blocks_;
  std::uint8_t* free_ = nullptr;
  std::size_t free_size_ = 0;
  std::size_t memory_ = 0;
};

}  // namespace partita::query
