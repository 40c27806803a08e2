// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/partitions/key_sketch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "shards/partitions/activity.h"
#include "shards/storage/bytes.h"

namespace partita::shards {
namespace {

void add(KeySketch& sketch, const std::string& key, std::int64_t weight) {
  sketch.add(hash_of_key(bytes_of(key)), bytes_of(key), weight);
}
KeySketch::Bound bound(const KeySketch& sketch, const std::string& key) {
  return sketch.bound(hash_of_key(bytes_of(key)), bytes_of(key));
}

TEST(KeySketch, KnowsFewKeysExactly) {
  KeySketch sketch;
  for (int i = 0; i < 20; ++i) add(sketch, "k" + std::to_string(i), i + 1);
  add(sketch, "k3", -2);
  EXPECT_EQ(bound(sketch, "k3").weight, 2);
  EXPECT_TRUE(bound(sketch, "k3").exact);
  EXPECT_EQ(bound(sketch, "other").weight, 0);
  EXPECT_EQ(sketch.top(1).front().key, "k19");
}

TEST(KeySketch, IsNeverTooLowWhateverComesAndGoes) {
  const auto seed = std::random_device()();
  std::mt19937 random(seed);
  KeySketch sketch;
  std::map<std::string, std::int64_t> truth;
  for (int step = 0; step < 50'000; ++step) {
    const std::string key = "k" + std::to_string(static_cast<int>(std::sqrt(static_cast<double>(random() % 40'000))));
    std::int64_t& weight = truth[key];
    const bool shrinks = weight > 0 && random() % 3 == 0;
    const std::int64_t change = shrinks ? -static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(weight)) - 1
                                        : static_cast<std::int64_t>(random() % 100) + 1;
    weight += change;
    add(sketch, key, change);
  }
  for (const auto& [key, weight] : truth) {
    const KeySketch::Bound known = bound(sketch, key);
    ASSERT_GE(known.weight, weight) << key << " seed " << seed;
    EXPECT_TRUE(!known.exact || known.weight == weight) << key << " seed " << seed;
  }
}

TEST(KeySketch, FindsTheHeavyAmongTheMany) {
  KeySketch sketch;
  for (int i = 0; i < 20'000; ++i) {
    add(sketch, "light" + std::to_string(i), 10);
    if (i % 10 == 0) add(sketch, "heavy", 100);
  }
  EXPECT_EQ(sketch.top(1).front().key, "heavy");
}

TEST(Activity, WhatIsCountedIsExactWithWhatCameMeanwhile) {
  Activity activity;
  activity.assume(1'000'000);
  const std::string key = "key";
  const auto feed = [&](std::int64_t bytes, Time time) { activity.feed({hash_of_key(bytes_of(key)), bytes_of(key), bytes, 1}, time); };
  feed(10, 1);
  ASSERT_TRUE(activity.begin_count());
  EXPECT_FALSE(activity.begin_count());
  feed(20, 2);   // The count sees it.
  feed(-5, 4);   // It does not.
  feed(7, 5);
  activity.end_count(3, {{key, 500}}, false, 0);
  const auto known = activity.bound(hash_of_key(bytes_of(key)), bytes_of(key));
  EXPECT_EQ(known.weight, 502);
  EXPECT_TRUE(known.exact);
  EXPECT_EQ(activity.bound(1, bytes_of("other")).weight, 1'000'000);
}

TEST(Activity, ChildrenKnowWhatTheirParentKnew) {
  Activity parent, low, high;
  for (const std::string key : {"a", "b", "c"}) parent.feed({hash_of_key(bytes_of(key)), bytes_of(key), 100, 1}, 1);
  low.assume(100);
  high.assume(200);
  low.inherit({&parent}, {"", "b"});
  high.inherit({&parent}, {"b", ""});
  EXPECT_EQ(low.largest(10).size(), 1);
  EXPECT_EQ(high.largest(10).size(), 2);
  EXPECT_TRUE(high.bound(hash_of_key(bytes_of("c")), bytes_of("c")).exact);
  EXPECT_EQ(high.bound(1, bytes_of("z")).weight, 0);
  Activity whole;
  whole.assume(300);
  whole.inherit({&low, &high}, {"", ""});
  EXPECT_EQ(whole.largest(10).size(), 3);
  EXPECT_EQ(whole.bound(1, bytes_of("z")).weight, 0);
}

// A key that reaches over a bound: each part may have all of it, but no more than the part holds; together again they have
// what they had, at the least.
TEST(Activity, PartsOfADividedKeyKnowWhatTheyMayHave) {
  Activity parent, low, high;
  parent.feed({hash_of_key(bytes_of("k")), bytes_of("k"), 300, 1}, 1);
  parent.feed({hash_of_key(bytes_of("m")), bytes_of("m"), 50, 1}, 1);
  low.assume(100);
  high.assume(250);
  low.inherit({&parent}, {"", "k5", 100, true});
  high.inherit({&parent}, {"k5", "", 250, true});
  const auto of = [](const Activity& activity, std::string_view key) { return activity.bound(hash_of_key(bytes_of(key)), bytes_of(key)); };
  EXPECT_EQ(of(low, "k").weight, 100);
  EXPECT_FALSE(of(low, "k").exact);
  EXPECT_EQ(of(high, "k").weight, 250);
  EXPECT_EQ(of(high, "m").weight, 50);
  EXPECT_TRUE(of(high, "m").exact);
  EXPECT_EQ(of(low, "m").weight, 0);
  Activity whole;
  whole.assume(350);
  whole.inherit({&low, &high}, {"", "", 350, true});
  EXPECT_GE(of(whole, "k").weight, 300);
  EXPECT_FALSE(of(whole, "k").exact);
  EXPECT_EQ(of(whole, "m").weight, 50);
}

TEST(Activity, WhatIsSetAsideIsSeenByOthers) {
  constexpr std::int64_t kLimit = 1'000;
  Activity activity;
  Counters counters;
  Gate gate;
  const std::string name = "key";
  const std::uint64_t hash = hash_of_key(bytes_of(name));
  const auto reserve = [&](std::int64_t bytes) { return activity.reserve({.hash = hash, .key = bytes_of(name), .bytes = bytes}, 0, kLimit, counters, gate); };
  EXPECT_FALSE(activity.is_far(counters, 1, kLimit)) << "a share of so little is nothing";
  EXPECT_TRUE(activity.is_far(counters, 1'000, kLimit << 20));
  EXPECT_EQ(reserve(600), Activity::Room::kReserved);
  EXPECT_EQ(reserve(600), Activity::Room::kFull);
  EXPECT_EQ(reserve(400), Activity::Room::kReserved);
  activity.release(hash, 400);
  EXPECT_EQ(reserve(300), Activity::Room::kReserved);
  counters.add({1, 600}, 1, 0);
  EXPECT_EQ(reserve(100), Activity::Room::kReserved) << "what is in the counters and not yet fed counts once";
  activity.feed({hash, bytes_of(name), 600, 1, 600}, 1);
  EXPECT_EQ(reserve(1), Activity::Room::kFull);
  // Who is inside may add its share without having set it aside.
  EXPECT_TRUE(activity.is_far(counters, 50, kLimit << 20));
  activity.release(hash, 100);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(gate.enter(0), Gate::Pass::kEntered);
  const std::int64_t large = std::int64_t{16384} * 10;  // A share is 10.
  EXPECT_EQ(activity.reserve({.hash = hash, .key = bytes_of(name), .bytes = large - 900 - 20}, 0, large, counters, gate), Activity::Room::kReserved);
  EXPECT_EQ(activity.reserve({.hash = hash, .key = bytes_of(name), .bytes = 1}, 0, large, counters, gate), Activity::Room::kFull);
}

}  // namespace
}  // namespace partita::shards
