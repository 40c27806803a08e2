// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each _id once in a whole collection: chosen for one that holds documents, kept by what comes after, given up.
#include <atomic>

#include "tests/shards/moves/repartition_fixture.h"

namespace partita::shards {
namespace {

TEST_F(RepartitionTest, KeepsTheClaimsOfIdsThroughACrash) {
  options_.checkpoint_after_copy = false;
  open("a");
  ASSERT_TRUE(shard("{region: 'hashed'}", even(3), {}, true).ok());
  fill(500);
  const std::string claims = collection()->sharding->claims;
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(reshard("{n: 1}", {}).ok());
  EXPECT_EQ(collection()->sharding->claims, claims) << "they are as good as they were";
  EXPECT_EQ(insert("{_id: 7, region: 'elsewhere', n: -1}").code(), Code::DuplicateKey);
  crash();
  expect_model();
  EXPECT_EQ(insert("{_id: 7, region: 'elsewhere', n: -1}").code(), Code::DuplicateKey);
}

TEST_F(RepartitionTest, ClaimsTheIdsOfAFilledCollection) {
  options_.checkpoint_after_copy = false;
  open("a");
  fill(2500);
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(shard("{region: 'hashed'}", even(3), {}, true).ok());
  expect_model();
  EXPECT_EQ(insert("{_id: 7, region: 'elsewhere', n: -1}").code(), Code::DuplicateKey);
  ASSERT_TRUE(erase(7).ok());
  model_.erase(7);
  for (int round = 0; round < 2; ++round) {
    crash();  // Copies are not in the log, nor are their claims.
    expect_model();
    EXPECT_EQ(insert("{_id: 8, region: 'elsewhere', n: -1}").code(), Code::DuplicateKey);
  }
  ASSERT_TRUE(insert("{_id: 7, region: 'elsewhere', n: 7}").ok());
  model_[7] = 7;
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, ClaimsAgainWhatACheckpointHasHalfOf) {
  options_.checkpoint_after_copy = false;
  open("a");
  fill(3000);
  int looks = 0;
  const auto checkpoint = [&]() -> Status { return ++looks == 20 ? store_->checkpoint() : Status(); };
  ASSERT_TRUE(shard("{region: 'hashed'}", even(3), checkpoint, true).ok());
  ASSERT_GE(looks, 20);
  crash();
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, GivesTheClaimsUp) {
  open("a");
  fill(300);
  ASSERT_TRUE(shard("{region: 'hashed'}", even(3), {}, true).ok());
  ASSERT_TRUE(reshard("{_id: 'hashed'}", even(2)).ok());
  EXPECT_TRUE(collection()->sharding->unique_id);
  EXPECT_EQ(collection()->sharding->claims, "") << "the record key sees to it";
  expect_model();
  ASSERT_TRUE(reshard("{n: 1}", {}).ok());
  expect_model();
  EXPECT_EQ(insert("{_id: 8, region: 'elsewhere', n: -1}").code(), Code::DuplicateKey) << "it has been chosen, and stays so";
  ASSERT_TRUE(reshard("{n: 1}", {}, false).ok());
  EXPECT_FALSE(collection()->sharding->unique_id);
  expect_model();
  expect_no_other_tables();
  ASSERT_TRUE(insert("{_id: 8, region: 'elsewhere', n: -1}").ok());
  ASSERT_TRUE(reshard("{n: 1}", {}).ok());
  const Status twice = reshard("{region: 1}", {}, true);
  EXPECT_EQ(twice.code(), Code::DuplicateKey);
  EXPECT_EQ(twice.message(), "E11000 duplicate key error collection: test.things index: _id_ dup key: { _id: 8 }");
  EXPECT_FALSE(collection()->sharding->unique_id);
  EXPECT_EQ(collection()->size().documents, 301);
  expect_no_other_tables();
  crash();
  EXPECT_EQ(collection()->size().documents, 301);
  EXPECT_FALSE(collection()->sharding->unique_id);
}

// An _id that goes from one document to another while both are copied is never there twice.
TEST_F(RepartitionTest, LetsAnIdMoveWhileItIsClaimed) {
  open("a");
  fill(200);
  ASSERT_TRUE(shard("{region: 'hashed'}", even(2)).ok());
  std::atomic<bool> moved{false};
  const auto move_all = [&]() -> Status {
    if (moved.exchange(true)) return {};
    for (int id = 0; id < 200; ++id) {
      CHECK_OK(erase(id));
      CHECK_OK(insert(detail::join("{_id: ", id, ", region: 'other', n: ", id, "}")));
    }
    return {};
  };
  const auto choose = [&](const Collection&) -> Result<std::optional<Catalog::Layout>> {
    return std::optional<Catalog::Layout>({by("{n: 1}").share(), {}, true});
  };
  const auto resharded = store_->catalog().repartition(kNs, choose, move_all);
  ASSERT_TRUE(resharded.ok()) << resharded.status().message();
  EXPECT_TRUE(moved);
  expect_model();
}

}  // namespace
}  // namespace partita::shards
