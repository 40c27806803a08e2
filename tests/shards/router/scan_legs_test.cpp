// SPDX-License-Identifier: GPL-3.0-or-later
//
// Walks by legs over maps that change at every rest, against what there is: each row once, in order where there is one.
#include "shards/router/scan_legs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace partita::shards {
namespace {

using Rows = std::vector<std::string>;

/// A map with these boundaries, where some neighbours share a segment; no partition has tables, for nobody asks.
Collection map_of(const std::set<std::string>& boundaries, std::mt19937& random) {
  Collection collection;
  SegmentId segment{0};
  const auto add = [&](const std::string& min) {
    const PartitionId id{static_cast<std::uint32_t>(collection.partitions.size() + 1)};
    if (collection.partitions.empty() || random() % 2 == 0) segment = Partition::own_segment(id);
    collection.partitions.push_back({.min = min, .partition = std::make_shared<Partition>(id, Uuid{}, kNoTable, segment)});
  };
  add("");
  for (const std::string& min : boundaries) add(min);
  return collection;
}

struct Walk {
  bool backward = false;
  bool by_index = false;

  /// Where a row lies in the table walked over: its own key, or one that has nothing to do with it.
  std::string key(const std::string& row) const {
    return by_index ? std::to_string(std::hash<std::string>()(row)) + row : row;
  }

  /// The rows that one segment's scan shows for its share.
  Rows rows(const Rows& all, const Collection& map, const ScanLegs::Share& share) const {
    const Collection::Run run = map.run_of(share.place);
    Rows shown;
    for (const std::string& row : all) {
      const std::size_t place = map.slot_of(bytes_of(row));
      if (place < run.first || place >= run.end || row < share.clip.lower) continue;
      if (!share.clip.upper.empty() && row >= share.clip.upper) continue;
      const bool behind = backward ? key(row) < share.after : key(row) > share.after;
      if (share.after.empty() || behind) shown.push_back(row);
    }
    std::ranges::sort(shown, {}, [&](const std::string& row) { return key(row); });
    if (backward) std::ranges::reverse(shown);
    return shown;
  }
};

std::string some_key(std::mt19937& random) {
  std::string key;
  const std::size_t length = 1 + random() % 3;
  for (std::size_t i = 0; i < length; ++i) key += static_cast<char>('a' + random() % 4);
  return key;
}

std::set<std::string> some_boundaries(std::mt19937& random) {
  std::set<std::string> boundaries;
  for (std::size_t i = random() % 6; i > 0; --i) boundaries.insert(some_key(random));
  return boundaries;
}

/// All rows as a scan meets them that rests, and finds another map, after every few rows.
Rows walked(const Walk& walk, const Rows& all, std::mt19937& random) {
  Rows met;
  ScanLegs legs(walk.backward);
  Collection map = map_of(some_boundaries(random), random);
  while (!legs.empty()) {
    const Rows rows = walk.rows(all, map, legs.enter(map));
    const std::size_t until_rest = random() % 5;
    if (rows.size() <= until_rest) {
      met.insert(met.end(), rows.begin(), rows.end());
      legs.pop();
      continue;
    }
    met.insert(met.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(until_rest));
    if (until_rest > 0) legs.stand(bytes_of(walk.key(rows[until_rest - 1])));
    map = map_of(some_boundaries(random), random);
  }
  return met;
}

class ScanLegsTest : public testing::TestWithParam<Walk> {};

TEST_P(ScanLegsTest, MeetEveryRowOnceWhateverBecomesOfTheMap) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    std::set<std::string> rows;
    for (std::size_t i = random() % 40; i > 0; --i) rows.insert(some_key(random));
    const Rows all(rows.begin(), rows.end());
    Rows met = walked(GetParam(), all, random);
    if (GetParam().by_index) std::ranges::sort(met);
    if (!GetParam().by_index && GetParam().backward) std::ranges::reverse(met);
    ASSERT_EQ(met, all) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Walks, ScanLegsTest,
                         testing::Values(Walk{false, false}, Walk{true, false}, Walk{false, true}, Walk{true, true}));

}  // namespace
}  // namespace partita::shards
