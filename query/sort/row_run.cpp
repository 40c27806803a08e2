// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/row_run.h"

#include <algorithm>

#include "query/sort/key_order.h"

namespace partita::query {

void RowRun::add(KeyedBytes added) {
  std::uint8_t* row = allocate(added.key.size() + added.bytes.size());
  std::ranges::copy(added.key, row);
  std::ranges::copy(added.bytes, row + added.key.size());
  entries_.push_back({key_prefix(added.key), row, static_cast<std::uint32_t>(added.key.size()),
                      static_cast<std::uint32_t>(added.bytes.size())});
  memory_ += added.key.size() + added.bytes.size() + sizeof(Entry);
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

KeyedBytes RowRun::row(std::size_t index) const {
  const Entry& entry = entries_[index];
  return {{entry.row + entry.key_size, entry.size}, entry.key()};
}

}  // namespace partita::query
