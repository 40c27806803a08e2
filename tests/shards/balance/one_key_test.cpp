// SPDX-License-Identifier: GPL-3.0-or-later
//
// A logical key that is divided by _id, where its user has chosen that.
#include <gtest/gtest.h>

#include <thread>

#include "tests/shards/balance/balance_fixture.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;

class OneKeyTest : public BalanceTest {
 protected:
  OneKeyTest() { open("store"); }
};

TEST_F(OneKeyTest, DividesOneKeyByIdWhereThatIsChosen) {
  shard("{k: 'hashed'}", 1, true);
  fill(0, 400, 1000);
  const auto before = sound_contents();
  const Growth all = now()->size();
  ASSERT_TRUE(split(0).ok());
  for (const PartitionSlot& slot : now()->partitions) {
    EXPECT_NEAR(static_cast<double>(slot.partition->counters().total().bytes), static_cast<double>(all.bytes) / 2, 200);
  }
  EXPECT_EQ(now()->partitions[1].min, key_of(200, 1000));
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(split(2, key_of(390, 1000)).ok());
  EXPECT_EQ(sound_contents(), before);
  for (const int id : {0, 99, 100, 200, 389, 390}) {
    EXPECT_EQ(insert(detail::join("{_id: ", id, ", k: 0}")).code(), Code::DuplicateKey);
    EXPECT_EQ(now()->slot_of(bytes_of(key_of(id, 1000))), id < 100 ? 0u : id < 200 ? 1u : id < 390 ? 2u : 3u);
  }
  crash();
  EXPECT_EQ(now()->partitions.size(), 4u);
  EXPECT_EQ(sound_contents(), before);
  ASSERT_TRUE(merge(1, 2).ok());
  EXPECT_EQ(sound_contents(), before);
  fill(1000, 1400, 1000);  // Another key, behind the last bound or before the first.
  ASSERT_TRUE(merge(0, 2).ok());
  ASSERT_TRUE(split(0).ok());
  EXPECT_FALSE(now()->sharding->key.parts_logical_key(now()->partitions[1].min)) << "keys are divided only where nothing else is left";
  EXPECT_EQ(sound_contents().size(), 800u);
}

// What shares tables after that moves out, and rows of one key lie in several then.
TEST_F(OneKeyTest, PartsOfOneKeyMoveOutAndAreMergedAgain) {
  shard("{k: 1}", 1, true);
  fill(0, 200, 1000);
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(store_->catalog().copy_partitions(*now(), {{0, 1}, {1, 2}}).ok());
  EXPECT_NE(now()->partitions[0].partition->segment(), now()->partitions[1].partition->segment());
  EXPECT_EQ(sound_contents(), before);
  crash();
  EXPECT_EQ(sound_contents(), before);
  EXPECT_EQ(insert("{_id: 150, k: 0}").code(), Code::DuplicateKey);
  ASSERT_TRUE(merge(0, 1).ok());
  EXPECT_EQ(sound_contents(), before);
  EXPECT_EQ(now()->partitions.size(), 1u);
}

TEST_F(OneKeyTest, DividesNoKeyUnlessThatIsChosen) {
  shard("{k: 1}");
  fill(0, 100, 1000);
  EXPECT_EQ(split(0, key_of(50, 1000)).status().code(), Code::BadValue);
  EXPECT_EQ(split(0).status().code(), Code::CannotSplit);
  // The balancer has found that out too, and hears of the choice.
  balance_->partition_bytes = 4'000;
  balance_->splits = true;
  const auto rounds = store_->balancer().figures().rounds;
  while (store_->balancer().figures().rounds < rounds + 5) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  ASSERT_TRUE(store_->catalog().alter_sharding(kNs, [](Sharding& sharding) { sharding.split_logical = true; }).ok());
  for (int i = 0; i < 500 && now()->partitions.size() < 4; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_GE(now()->partitions.size(), 4u);
  balance_->splits = false;
  EXPECT_EQ(sound_contents().size(), 100u);
}

TEST_F(OneKeyTest, KeepsPartsOfOneKeySized) {
  shard("{k: 1}", 1, true);
  balance_->partition_bytes = 8'000;
  balance_->heritage_age_ms = 0;
  balance_->splits = true;
  fill(0, 600, 1000);
  expect_limit_kept();
  const std::size_t partitions = now()->partitions.size();
  EXPECT_GE(partitions, 12u);
  EXPECT_EQ(sound_contents().size(), 600u);
  // The sizes of what they hold of the key are known without counting.
  for (const PartitionSlot& slot : now()->partitions) {
    const std::string logical = key_of(0, 1000).substr(0, now()->sharding->key.logical_size(bytes_of(key_of(0, 1000))));
    const auto known = slot.partition->activity().bound(hash_of_key(bytes_of(logical)), bytes_of(logical));
    EXPECT_GE(known.weight, slot.partition->counters().total().bytes);
  }
}

// A document that is larger than a partition shall be is looked at once, not again and again.
TEST_F(OneKeyTest, DoesNotSpinOnOneDocument) {
  shard("{k: 1}", 1, true);
  balance_->partition_bytes = 1'000;
  ASSERT_TRUE(insert(detail::join("{_id: 1, k: 1, f: '", std::string(5'000, 'x'), "'}")).ok());
  balance_->splits = true;
  const auto before = store_->balancer().figures().rounds;
  const auto end = store_->log(kCatalogLog).end();
  while (store_->balancer().figures().rounds < before + 20) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  EXPECT_EQ(store_->log(kCatalogLog).end(), end);
}

}  // namespace
}  // namespace partita::shards
