// SPDX-License-Identifier: GPL-3.0-or-later
#include "query/keys/bounds.h"

#include <gtest/gtest.h>

#include "query/keys/hash.h"
#include "tests/query/keys/support.h"

namespace partita::test {
namespace {

using bson::Buffer;
using bson::Value;

std::string successor(std::string_view key) {
  Buffer buffer;
  buffer.append(key);
  return query::keys::make_prefix_successor(buffer) ? std::string(buffer.text()) : "none";
}

TEST(KeyBounds, PrefixSuccessor) {
  EXPECT_EQ(successor("ab"), "ac");
  EXPECT_EQ(successor("a\xFF\xFF"), "b");
  EXPECT_EQ(successor("\xFF\xFF"), "none");
  EXPECT_EQ(successor(""), "none");
}

TEST(KeyBounds, MinAndMaxEncloseAllValues) {
  Buffer low;
  Buffer high;
  query::keys::append_min(low);
  query::keys::append_max(high);
  RandomBson random(1);
  for (int i = 0; i < 2000; ++i) {
    const bson::OwnedValue value = random_value(random);
    for (const Direction direction : {Direction::kAscending, Direction::kDescending}) {
      EXPECT_LT(low.text(), encoded(value, direction));
      EXPECT_GT(high.text(), encoded(value, direction));
    }
  }
}

TEST(KeyHash, IsAppendedMostSignificantByteFirst) {
  Buffer key;
  query::keys::append_hash(0x0102030405060708, key);
  EXPECT_EQ(hex(key.text()), "0102030405060708");
}

std::uint64_t hash_of(Value value) {
  const std::string key = encoded(value);
  return query::keys::hash({reinterpret_cast<const std::uint8_t*>(key.data()), key.size()});
}

TEST(KeyHash, IsOneForNumbersThatCompareEqual) {
  EXPECT_EQ(hash_of(Value::of(5)), hash_of(Value::of(5.0)));
  EXPECT_EQ(hash_of(Value::of(5)), hash_of(Value::of(std::int64_t{5})));
  EXPECT_EQ(hash_of(Value::of(0.0)), hash_of(Value::of(-0.0)));
  EXPECT_NE(hash_of(Value::of(5)), hash_of(Value::of(6)));
}

/// Shard maps on disk are cut by these numbers.
TEST(KeyHash, NeverChanges) {
  EXPECT_EQ(hash_of(Value::of(5)), 0x30DB1ECADFC0B377ULL);
  EXPECT_EQ(hash_of(Value::null()), 0x2661BF6FF51A634AULL);
}

/// Sequential keys over 64 ranges of the hash space: within five standard deviations of an even spread.
TEST(KeyHash, SpreadsEvenly) {
  constexpr int kKeys = 64'000;
  int count[64] = {};
  for (int i = 0; i < kKeys; ++i) ++count[hash_of(Value::of(i)) >> 58];
  for (const int hits : count) EXPECT_NEAR(hits, kKeys / 64, 160);
}

}  // namespace
}  // namespace partita::test
