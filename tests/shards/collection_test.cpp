// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/catalog/collection.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace partita::shards {
namespace {

/// Few different bytes, so that many keys share their first eight.
std::string some_key(std::mt19937& random) {
  std::string key(random() % 12, 'a');
  for (char& c : key) c = "\0ab\xff"[random() % 4];
  return key;
}

TEST(Collection, FindsTheSamePartitionByHeadsAndByMins) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    std::mt19937 random(seed);
    std::set<std::string> mins{""};
    for (std::size_t i = random() % 60; i > 0; --i) mins.insert(some_key(random));
    Collection by_mins;
    for (const std::string& min : mins) by_mins.partitions.push_back({.min = min});
    Collection by_heads;
    by_heads.partitions = by_mins.partitions;
    by_heads.note_heads();
    for (int i = 0; i < 100; ++i) {
      const std::string key = some_key(random);
      ASSERT_EQ(by_heads.slot_of(bytes_of(key)), by_mins.slot_of(bytes_of(key))) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace partita::shards
