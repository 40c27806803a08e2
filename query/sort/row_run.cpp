// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/row_run.h"

#include <algorithm>

#include "query/sort/key_order.h"

namespace partita::query {

void RowRun::add(bson::View document, std::span<const std::uint8_t> key) {
  std::uint8_t* row = allocate(key.size() + document.size());
  std::memcpy(row, key.data(), key.size());
  std::memcpy(row + key.size(), document.data(), document.size());
  entries_.push_back({key_prefix(key), row, static_cast<std::uint32_t>(key.size())});
  memory_ += memory_of(document, key);
}

std::uint8_t* RowRun::allocate(std::size_t size) {
  constexpr std::size_t kBlockSize = 256 * 1024;
  if (size > free_size_) {
    free_size_ = std::max(size, kBlockSize);
    blocks_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(free_size_));
    free_ = blocks_.back().get();
  }
  free_size_ -= size;
  return std::exchange(free_, free_ + size);
}

void RowRun::sort() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : compare_keys(a.key(), b.key()) < 0;
  });
}

void RowRun::clear() { *this = RowRun(); }

SortedRow RowRun::row(std::size_t index) const {
  const Entry& entry = entries_[index];
  return {bson::View::trusted(entry.row + entry.key_size), entry.key()};
}

}  // namespace partita::query
