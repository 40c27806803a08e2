// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collections divided and put together, and killed behind that: the copies are not in the log, so that old tables stay until a
// checkpoint has the new ones.
#include "tests/shards/moves/repartition_fixture.h"

namespace partita::shards {
namespace {

TEST_F(RepartitionTest, StandsAfterACrashRightBehindTheCheckpoint) {
  options_.checkpoint_after_copy = false;
  open("a");
  fill(1000);
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();  // The tables copied from are still there, and of no use.
  expect_model();
  expect_no_other_tables();
  store_.reset();  // Stopped in peace, with the same.
  open(name_);
  ASSERT_TRUE(unshard().ok());
  store_.reset();
  open(name_);
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, StandsAfterACrash) {
  open("a");
  fill(500);
  ASSERT_TRUE(create_index("{key: {n: 1}, name: 'n_1'}").ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  options_.checkpoint_after_copy = false;
  crash();
  for (int id = 500; id < 700; ++id) ASSERT_TRUE(put(id, model_[id] = id).ok());
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  for (int id = 0; id < 700; id += 3) ASSERT_TRUE(put(id, model_[id] = -id).ok());
  crash();  // The copies are not in the log.
  EXPECT_EQ(collection()->partitions.size(), 4U);
  expect_model();
  crash();  // Nothing that the checkpoint stands on has gone.
  expect_model();
  for (int id = 0; id < 700; id += 7) {
    ASSERT_TRUE(erase(id).ok());
    model_.erase(id);
  }
  ASSERT_TRUE(reshard("{n: 1}", {}).ok());
  ASSERT_TRUE(unshard().ok());
  crash();
  expect_model();
  crash();
  expect_model();
  expect_no_other_tables();
  crash();
  expect_model();
}

TEST_F(RepartitionTest, KeepsTheOldTablesOfADroppedOneForTheReplay) {
  open("a");
  options_.checkpoint_after_copy = false;
  crash();
  fill(300);
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  for (int id = 0; id < 300; id += 3) ASSERT_TRUE(put(id, -id).ok());
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  for (int i = 0; i < 3; ++i) {
    store_->catalog().remove_dropped_tables();
    crash();
    EXPECT_EQ(collection(), nullptr);
  }
  expect_no_other_tables();
}

TEST_F(RepartitionTest, KeepsTheOldTablesUntilACheckpointHasTheNewOnes) {
  options_.checkpoint_after_copy = false;
  open("a");
  fill(300);
  ASSERT_TRUE(store_->checkpoint().ok());
  const std::string old = Partition::records_table(collection()->partitions[0].partition->segment());
  const auto is_there = [&] {
    store_->catalog().remove_dropped_tables();
    const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
    return std::ranges::find(names, old) != names.end();
  };
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  EXPECT_TRUE(is_there());
  crash();
  EXPECT_TRUE(is_there());
  expect_model();
  {
    const SessionLease reader = std::move(SessionLease::take(store_->engine())).value();
    ASSERT_TRUE(unshard().ok());
    ASSERT_TRUE(store_->checkpoint().ok());
    store_->catalog().remove_dropped_tables();
    const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
    EXPECT_GT(names.size(), 5U) << "somebody may still read the four";
  }
  expect_no_other_tables();
  expect_model();
}

}  // namespace
}  // namespace partita::shards
