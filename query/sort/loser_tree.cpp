// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/loser_tree.h"

#include <utility>

#include "query/sort/key_order.h"

namespace partita::query {

LoserTree::LoserTree(std::size_t sources) : runners_(sources == 0 ? 1 : sources), losers_(runners_.size()) {}

void LoserTree::set(std::size_t source, std::span<const std::uint8_t> key) {
  runners_[source] = {key_prefix(key), key, true};
}

void LoserTree::build() {
  const auto count = static_cast<std::uint32_t>(runners_.size());
  std::vector<std::uint32_t> winners(2 * count);
  for (std::uint32_t source = 0; source < count; ++source) winners[count + source] = source;
  for (std::uint32_t node = count - 1; node > 0; --node) {
    std::uint32_t won = winners[2 * node];
    std::uint32_t lost = winners[2 * node + 1];
    if (before(lost, won)) std::swap(won, lost);
    winners[node] = won;
    losers_[node] = lost;
  }
  winner_ = count == 1 ? 0 : winners[1];
}

void LoserTree::replace(std::span<const std::uint8_t> key) {
  set(winner_, key);
  replay();
}

void LoserTree::remove() {
  runners_[winner_].live = false;
  replay();
}

void LoserTree::replay() {
  std::uint32_t winner = winner_;
  for (std::size_t node = (winner + runners_.size()) / 2; node > 0; node /= 2)
    if (before(losers_[node], winner)) std::swap(losers_[node], winner);
  winner_ = winner;
}

/// Ended sources come behind all others.
bool LoserTree::before(std::uint32_t a, std::uint32_t b) const {
  const Runner& left = runners_[a];
  const Runner& right = runners_[b];
  if (!left.live || !right.live) return left.live;
  if (left.prefix != right.prefix) return left.prefix < right.prefix;
  const int order = compare_keys(left.key, right.key);
  return order != 0 ? order < 0 : a < b;
}

}  // namespace partita::query
