// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/top_rows.h"

#include <algorithm>

namespace partita::query {

void TopRows::add(bson::View document, std::span<const std::uint8_t> key) {
  const auto order = [this](const Entry& a, const Entry& b) { return before(a, b); };
  if (heap_.size() < limit_) {
    heap_.push_back({0, static_cast<std::uint32_t>(slots_.size())});
    slots_.emplace_back();
    memory_ += sizeof(Slot) + sizeof(Entry);
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), order);
  }
  heap_.back().prefix = key_prefix(key);
  fill(slots_[heap_.back().slot], document, key);
  std::push_heap(heap_.begin(), heap_.end(), order);
}

void TopRows::fill(Slot& slot, bson::View document, std::span<const std::uint8_t> key) {
  memory_ -= slot.bytes.capacity();
  slot.bytes.clear();
  slot.bytes.reserve(key.size() + document.size());
  slot.bytes.append(key);
  slot.bytes.append(document.bytes());
  slot.key_size = key.size();
  memory_ += slot.bytes.capacity();
}

void TopRows::sort() {
  std::sort(heap_.begin(), heap_.end(), [this](const Entry& a, const Entry& b) { return before(a, b); });
}

SortedRow TopRows::row(std::size_t index) const {
  const Slot& slot = slots_[heap_[index].slot];
  return {bson::View::trusted(slot.bytes.data() + slot.key_size), slot.key()};
}

std::uint64_t TopRows::bytes() const {
  std::uint64_t bytes = 0;
  for (const Slot& slot : slots_) bytes += slot.bytes.size();
  return bytes;
}

bool TopRows::before(const Entry& a, const Entry& b) const {
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  return compare_keys(slots_[a.slot].key(), slots_[b.slot].key()) < 0;
}

}  // namespace partita::query
