// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/key_sketch.h"

#include <xxhash.h>

#include <algorithm>

namespace partita::shards {
namespace {

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace

std::uint64_t hash_of_key(Bytes logical_key) { return XXH3_64bits(logical_key.data(), logical_key.size()); }

std::size_t KeySketch::find(std::uint64_t hash, Bytes key) const {
  for (std::size_t i = 0; i < used_; ++i) {
    if (hashes_[i] == hash && keys_[i] == text(key)) return i;
  }
  return kKeys;
}

std::size_t KeySketch::make_room() {
  if (used_ < kKeys) return used_++;
  std::size_t lightest = 0;
  for (std::size_t i = 1; i < kKeys; ++i) {
    if (weights_[i] < weights_[lightest]) lightest = i;
  }
  rest_ = std::max(rest_, weights_[lightest]);
  return lightest;
}

void KeySketch::add(std::uint64_t hash, Bytes key, std::int64_t weight, bool known) {
  if (const std::size_t at = find(hash, key); at != kKeys) {
    weights_[at] += weight;
    exact_[at] = exact_[at] && known;
    return;
  }
  // What shrinks without being kept is still within the bound; it only could be told better.
  if (weight <= 0) return;
  const std::size_t at = make_room();
  hashes_[at] = hash;
  weights_[at] = rest_ + weight;
  exact_[at] = known && rest_ == 0;
  keys_[at].assign(text(key));
}

void KeySketch::set(Bytes key, std::int64_t weight, bool exact) {
  const std::uint64_t hash = hash_of_key(key);
  std::size_t at = find(hash, key);
  if (at == kKeys) {
    at = make_room();
    hashes_[at] = hash;
    keys_[at].assign(text(key));
  }
  weights_[at] = weight;
  exact_[at] = exact;
}

KeySketch::Bound KeySketch::bound(std::uint64_t hash, Bytes key) const {
  const std::size_t at = find(hash, key);
  if (at == kKeys) return {rest_, rest_ == 0};
  return {weights_[at], exact_[at]};
}

void KeySketch::halve() {
  for (std::size_t i = 0; i < used_; ++i) weights_[i] /= 2;
  rest_ /= 2;
}

std::vector<KeySketch::Entry> KeySketch::top(std::size_t most) const {
  std::vector<Entry> top;
  for (std::size_t i = 0; i < used_; ++i) top.push_back(entry(i));
  std::erase_if(top, [](const Entry& entry) { return entry.weight <= 0; });
  std::ranges::sort(top, [](const Entry& a, const Entry& b) { return a.weight != b.weight ? a.weight > b.weight : a.key < b.key; });
  if (top.size() > most) top.resize(most);
  return top;
}

}  // namespace partita::shards
