// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "wire/bson/view.h"

namespace partita::query {

/// A document and the key that it sorts by, both somebody else's bytes. The key travels beside the document, never
/// inside: the merge over partitions goes by it.
struct SortedRow {
  bson::View document;
  std::span<const std::uint8_t> key;
};

/// Rows collected in memory, sorted all at once, then read in order. Rows are copied; what row() gives lives as long as
/// this. Growing, it is what a spill to disk writes out and clears: a sorted run.
class RowRun {
 public:
  void add(bson::View document, std::span<const std::uint8_t> key);
  void sort();
  void clear();

  std::size_t size() const { return entries_.size(); }
  SortedRow row(std::size_t index) const;
  /// Bytes held for rows and for what is kept about them.
  std::size_t memory() const { return memory_; }
  static std::size_t memory_of(bson::View document, std::span<const std::uint8_t> key) {
    return key.size() + document.size() + sizeof(Entry);
  }

 private:
  struct Entry {
    std::uint64_t prefix;      ///< Of the key: decides most comparisons without a look at the row.
    const std::uint8_t* row;   ///< The key, then the document.
    std::uint32_t key_size;
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
