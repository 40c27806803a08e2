// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/sort/loser_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/random.h"

namespace partita::test {
namespace {

using Sources = std::vector<std::vector<std::string>>;
using Rows = std::vector<std::pair<std::string, std::size_t>>;  // Key and source.

std::span<const std::uint8_t> bytes(const std::string& key) {
  return {reinterpret_cast<const std::uint8_t*>(key.data()), key.size()};
}

Rows merged(const Sources& sources) {
  query::LoserTree tree(sources.size());
  std::vector<std::size_t> at(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (!sources[i].empty()) tree.set(i, bytes(sources[i][0]));
  Rows rows;
  for (tree.build(); !tree.done();) {
    const std::size_t source = tree.winner();
    rows.emplace_back(sources[source][at[source]++], source);
    if (at[source] < sources[source].size()) {
      tree.replace(bytes(sources[source][at[source]]));
    } else {
      tree.remove();
    }
  }
  return rows;
}

/// The slow way: all rows, sorted by key and then source.
Rows sorted(const Sources& sources) {
  Rows rows;
  for (std::size_t i = 0; i < sources.size(); ++i)
    for (const std::string& key : sources[i]) rows.emplace_back(key, i);
  std::stable_sort(rows.begin(), rows.end());
  return rows;
}

std::string random_key(Random& random) {
  std::string key(random.below(12), '\0');
  for (char& c : key) c = static_cast<char>(random.one_in(2) ? 0 : random.below(3) * 127);
  return key;
}

TEST(LoserTree, MergesAsSortingWould) {
  Random random(20);
  for (int round = 0; round < 2000; ++round) {
    Sources sources(1 + random.below(round % 10 == 0 ? 100 : 9));
    for (auto& source : sources) {
      for (auto left = random.below(8); left > 0; --left) source.push_back(random_key(random));
      std::sort(source.begin(), source.end());
    }
    ASSERT_EQ(merged(sources), sorted(sources)) << "round " << round;
  }
}

TEST(LoserTree, OfNothingIsDone) {
  EXPECT_TRUE(merged({}).empty());
  EXPECT_TRUE(merged({{}, {}, {}}).empty());
}

TEST(LoserTree, TakesEqualKeysFromTheFirstSourceFirst) {
  EXPECT_EQ(merged({{"b"}, {"a", "b"}, {"b"}}), (Rows{{"a", 1}, {"b", 0}, {"b", 1}, {"b", 2}}));
}

}  // namespace
}  // namespace partita::test
