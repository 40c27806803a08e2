// SPDX-License-Identifier: GPL-3.0-or-later
//
// What the parts of a partition know of statements that were done before it was divided.
#include <gtest/gtest.h>

#include "tests/shards/balance/balance_fixture.h"

namespace partita::shards {
namespace {

class HeritageTest : public BalanceTest {
 protected:
  HeritageTest() { open("store"); }
};

// A statement that was done before a split is found behind it: in the parts, in parts of the parts, after a restart, and
// after its rows have become the parts' own.
TEST_F(HeritageTest, KnowsEarlierStatements) {
  shard("{k: 1}");
  fill(0, 200);
  const std::string low = key_of(10);
  const std::string high = key_of(190);
  const StatementId first = statement(1, 0);
  const StatementId far = statement(1, 70);
  const StatementId other = statement(4, 3, 9);
  ASSERT_TRUE(note(bytes_of(low), first).ok());
  ASSERT_TRUE(note(bytes_of(high), far).ok());
  const auto home = home_key(other);
  ASSERT_TRUE(note(home, other).ok());
  const auto expect_all_known = [&] {
    EXPECT_TRUE(is_known(bytes_of(low), first));
    EXPECT_TRUE(is_known(bytes_of(high), far));
    EXPECT_TRUE(is_known(home_key(other), other));
    EXPECT_FALSE(is_known(bytes_of(low), statement(1, 5)));
  };
  const PartitionId parent = id_at(0);
  ASSERT_TRUE(split(0).ok());
  expect_all_known();
  crash();
  expect_all_known();
  const StatementId later = statement(1, 1);
  ASSERT_TRUE(note(bytes_of(high), later).ok());
  ASSERT_TRUE(split(1).ok());
  expect_all_known();
  EXPECT_TRUE(is_known(bytes_of(high), later));
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  for (const PartitionSlot& slot : now()->partitions) EXPECT_TRUE(slot.inherits.empty());
  EXPECT_FALSE(retry_rows().contains(parent));
  expect_all_known();
  EXPECT_TRUE(is_known(bytes_of(high), later));
  crash();
  expect_all_known();
  ASSERT_TRUE(merge(0, 2).ok());
  expect_all_known();
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  expect_all_known();
  EXPECT_EQ(retry_rows().size(), 1u);
  // The session has gone on, and nothing brings back what lies behind it.
  ASSERT_TRUE(note(bytes_of(low), statement(2, 0)).ok());
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  EXPECT_EQ(find_statement(*session, store_->tables().retry, now()->partitions[0], first).status().code(), Code::TransactionTooOld);
}

// A copy that is broken off is begun again, and adds nothing twice.
TEST_F(HeritageTest, BeginsABrokenCopyAgain) {
  shard("{k: 1}");
  fill(0, 20);
  for (std::uint8_t session = 0; session < 250; ++session) ASSERT_TRUE(note(bytes_of(key_of(3)), statement(1, 0, session)).ok());
  ASSERT_TRUE(split(0).ok());
  FailPoint& copied = *FailPoint::find("heritageRowsCopied");
  copied.set({.mode = FailPoint::Mode::kTimes, .count = 1, .data = bson::parse_json("{errorCode: 264}").value()});
  EXPECT_FALSE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  crash();
  const auto end = store_->log(kDataLog).end();
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  EXPECT_GT(store_->log(kDataLog).end(), end);
  for (const auto& [partition, rows] : retry_rows()) EXPECT_EQ(rows, 250);
  for (std::uint8_t session = 0; session < 250; ++session) EXPECT_TRUE(is_known(bytes_of(key_of(3)), statement(1, 0, session)));
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  Cursor rows = std::move(session->cursor(store_->tables().retry)).value();
  while (*rows.next()) {
    RetryRow row = std::move(RetryRow::open(rows.value())).value();
    int statements = 0;
    while (*row.next()) ++statements;
    EXPECT_EQ(statements, 1);
  }
}

TEST_F(HeritageTest, DropTakesInheritedRowsAlong) {
  shard("{k: 1}");
  fill(0, 20);
  ASSERT_TRUE(note(bytes_of(key_of(3)), statement(1, 0)).ok());
  ASSERT_TRUE(split(0).ok());
  EXPECT_EQ(retry_rows().size(), 1u);
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_TRUE(retry_rows().empty());
  crash();
  EXPECT_TRUE(retry_rows().empty());
}

}  // namespace
}  // namespace partita::shards
