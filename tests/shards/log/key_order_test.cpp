// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/key_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/random.h"

namespace partita::shards {
namespace {

TEST(KeyOrder, IsThatOfTheKeysBytes) {
  test::Random random(7);
  KeyOrder order;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> keys(random.below(50));
    for (std::string& key : keys) {
      // Short ones, zeros at the end and long common beginnings: where eight bytes do not decide.
      key = std::string(random.below(12), random.one_in(2) ? 'a' : '\0');
      if (random.one_in(2)) key += static_cast<char>(random.below(256));
    }
    std::vector<NewDocument> documents;
    for (const std::string& key : keys) documents.push_back({nullptr, bytes_of(key), {}});
    std::vector<std::string> expected = keys;
    std::ranges::sort(expected);
    std::vector<std::string> sorted;
    std::vector<std::uint32_t> places;
    for (const std::uint32_t place : order.of(documents)) {
      places.push_back(place);
      sorted.push_back(keys[place]);
    }
    EXPECT_EQ(sorted, expected);
    std::ranges::sort(places);
    std::vector<std::uint32_t> all(keys.size());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(places, all);
  }
}

}  // namespace
}  // namespace partita::shards
