// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the server divides and merges of its own accord, and what it leaves alone.
#include <gtest/gtest.h>

#include <thread>

#include "tests/shards/balance/balance_fixture.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;

class BalancerTest : public BalanceTest {
 protected:
  BalancerTest() { open("store"); }
};

TEST_F(BalancerTest, KeepsPartitionsSizedOfItsOwnAccord) {
  shard("{k: 'hashed'}", 2);
  balance_->partition_bytes = 8'000;
  balance_->heritage_age_ms = 0;
  balance_->splits = true;
  fill(0, 1000);
  expect_limit_kept();
  const std::size_t partitions = now()->partitions.size();
  EXPECT_GE(partitions, 20u);
  EXPECT_EQ(sound_contents().size(), 1000u);
  // What is small stays, until it is so for long enough; then no more partitions are left than there were at first.
  for (int id = 0; id < 1000; ++id) ASSERT_TRUE(write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
    const std::string key = key_of(id);
    TRY(const PartitionSlot* slot, attempt.enter(bytes_of(key)));
    TRY(Cursor rows, attempt.session().cursor(slot->partition->records()));
    TRY(const bool there, rows.find(bytes_of(key)));
    if (!there) return error(Code::NoSuchKey, "none");
    return attempt.unit().remove(*slot, rows, bytes_of(key), bson::Document(bson::View::trusted(rows.value().data())));
  }).ok());
  balance_->merges = true;
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(now()->partitions.size(), partitions);
  balance_->merge_age_ms = 0;
  for (int i = 0; i < 500 && now()->partitions.size() > 2; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_TRUE(sound_contents().empty());
}

TEST_F(BalancerTest, DoesNotSpinOnOneLogicalKey) {
  shard("{k: 1}");
  balance_->partition_bytes = 1'000;
  fill(0, 100, 1000);
  balance_->splits = true;
  const auto before = store_->balancer().figures().rounds;
  const auto end = store_->log(kCatalogLog).end();
  while (store_->balancer().figures().rounds < before + 20) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  EXPECT_EQ(store_->log(kCatalogLog).end(), end);
  fill(1000, 1030, 1000);  // A second key, and a quarter more.
  for (int i = 0; i < 200 && now()->partitions.size() < 2; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(now()->partitions.size(), 2u);
}

TEST_F(BalancerTest, StandsStillWhileItIsToldTo) {
  shard("{k: 1}");
  ASSERT_TRUE(store_->balancer().set_active(false).ok());
  balance_->partition_bytes = 1'000;
  balance_->splits = true;
  fill(0, 100);
  const auto before = store_->balancer().figures().rounds;
  while (store_->balancer().figures().rounds < before + 5) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  crash();
  EXPECT_FALSE(store_->balancer().active());
  ASSERT_TRUE(split(0).ok());  // By hand.
  ASSERT_TRUE(store_->balancer().set_active(true).ok());
  for (int i = 0; i < 200 && now()->partitions.size() < 10; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_GE(now()->partitions.size(), 10u);
  EXPECT_EQ(sound_contents().size(), 100u);
}

}  // namespace
}  // namespace partita::shards
