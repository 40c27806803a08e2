// SPDX-License-Identifier: GPL-3.0-or-later
//
// What silent sessions have done is forgotten in time, what active ones have done is not, and a crash changes neither.
#include "shards/sessions/reaper.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "shards/balance/balancer.h"
#include "shards/router/write.h"
#include "shards/sessions/retry_rows.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

const Namespace kNs{"test", "things"};
constexpr std::uint32_t kTimeout = 1800;

class ManualClock final : public WallClock {
 public:
  std::int64_t now_ms() const override { return now_ms_; }
  void pass(std::uint32_t seconds) { now_ms_ += std::int64_t{seconds} * 1000; }

 private:
  std::int64_t now_ms_ = 1'700'000'000'000;
};

class Reaper : public testing::Test {
 protected:
  Reaper() {
    fs::create_directories(root_);
    open("a");
    EXPECT_TRUE(store_->catalog().get_or_create(kNs).ok());
  }
  ~Reaper() override {
    store_.reset();
    fs::remove_all(root_);
  }
  void open(const std::string& name) {
    StoreOptions options;
    options.engine.path = root_ / name;
    options.engine.cache_bytes = 64 << 20;
    options.session_timeout_seconds = 1'000'000'000;  // The store's own reaper has nothing to do.
    options.balance = std::make_shared<BalanceOptions>();
    options.balance->heritage_age_ms = INT64_MAX / 2;  // Nor has its balancer.
    options.checkpoint_after_replay = false;  // A copy of files that are being written is no crash.
    store_ = std::move(Store::open(options, wall_)).value();
  }
  void crash() {
    fs::copy(root_ / "a", root_ / "b", fs::copy_options::recursive);
    store_.reset();
    open("b");
  }
  PartitionId partition() { return store_->catalog().snapshot().find(kNs.full())->partitions[0].partition->id(); }
  StatementId session(std::uint8_t number, std::int64_t transaction = 1, std::int32_t statement = 0) {
    StatementId id{.owner = 0, .transaction = transaction, .statement = statement};
    id.session.fill(number);
    return id;
  }
  void note(const StatementId& id) {
    const auto body = [&](WriteAttempt& attempt) -> Status {
      CHECK_OK(attempt.enter(attempt.collection().partitions[0]));
      return attempt.unit().note_retry(partition(), id, {id.statement, id.statement, StatementKind::kDelete, {}});
    };
    ASSERT_TRUE(write(*store_, kNs, {}, body).ok());
  }
  bool knows(const StatementId& id) {
    const SessionLease lease = std::move(SessionLease::take(store_->engine())).value();
    return find_statement(*lease, store_->tables().retry, partition(), id)->done.has_value();
  }
  int rows() {
    const SessionLease lease = std::move(SessionLease::take(store_->engine())).value();
    Cursor cursor = std::move(lease->cursor(store_->tables().retry)).value();
    int count = 0;
    while (*cursor.next()) ++count;
    return count;
  }
  void reap() {
    RetryReaper reaper(*store_, kTimeout);
    for (bool at_end = false; !at_end;) {
      const Result<bool> step = reaper.step();
      ASSERT_TRUE(step.ok()) << step.status().message();
      at_end = *step;
    }
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-reaper-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
  ManualClock wall_;
  std::unique_ptr<Store> store_;
};

TEST_F(Reaper, ForgetsSilentSessionsOnly) {
  note(session(1));
  note(session(2, 1, 1000));
  wall_.pass(kTimeout);
  note(session(3));
  reap();
  EXPECT_EQ(rows(), 4);
  wall_.pass(kRetryRefreshSeconds + 1);
  reap();
  EXPECT_EQ(rows(), 1);
  EXPECT_FALSE(knows(session(1)));
  EXPECT_TRUE(knows(session(3)));
}

TEST_F(Reaper, LeavesTheBeginningOfASessionThatGoesOn) {
  constexpr std::int32_t kStep = kStatementsInBlock;
  for (std::int32_t i = 0; i < 10; ++i) {  // One command that takes hours.
    note(session(1, 1, i * kStep));
    wall_.pass(kTimeout / 2);
    reap();
    EXPECT_TRUE(knows(session(1, 1, i * kStep)));
    EXPECT_TRUE(knows(session(1, 1, std::max(0, i - 1) * kStep)));
  }
  const SessionLease lease = std::move(SessionLease::take(store_->engine())).value();
  const auto older = find_statement(*lease, store_->tables().retry, partition(), session(1, 0));
  EXPECT_EQ(older.status().code(), Code::TransactionTooOld);
}

TEST_F(Reaper, TakesManyStepsForManyRowsAndStaysDoneAfterACrash) {
  constexpr int kRows = 700;
  for (int i = 0; i < kRows; ++i) note(session(static_cast<std::uint8_t>(i), i, i / 256 * 256));
  ASSERT_TRUE(store_->checkpoint().ok());
  wall_.pass(kTimeout * 2);
  note(session(5, 2000));
  RetryReaper reaper(*store_, kTimeout);
  int steps = 1;
  while (!*reaper.step()) ++steps;
  EXPECT_GT(steps, 2);
  EXPECT_TRUE(knows(session(5, 2000)));
  const int left = rows();
  EXPECT_EQ(left, 1);
  crash();
  EXPECT_EQ(rows(), left);
  EXPECT_TRUE(knows(session(5, 2000)));
}

TEST_F(Reaper, WaitsForNobodyWhoseGateIsClosed) {
  note(session(1));
  wall_.pass(kTimeout * 2);
  Gate& gate = store_->catalog().snapshot().find(kNs.full())->partitions[0].partition->gate();
  gate.close();
  reap();
  EXPECT_EQ(rows(), 1);
  gate.open(gate.version());
  reap();
  EXPECT_EQ(rows(), 0);
}

TEST_F(Reaper, ForgetsWhatIsInheritedOnceNoHeirHasItsGateClosed) {
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  Sharding sharding;
  sharding.key = std::move(query::ShardKey::parse(bson::parse_json("{_id: 1}").value())).value();
  ASSERT_TRUE(store_->catalog().shard(kNs, sharding, {}).ok());
  note(session(1));
  const std::string cut(1, '\x20');
  ASSERT_TRUE(store_->balancer().split(kNs, partition(), cut, Balancer::Manner::kRun, {}).ok());
  reap();
  EXPECT_EQ(rows(), 1);
  wall_.pass(kTimeout * 2);
  for (const std::size_t heir : {std::size_t{0}, std::size_t{1}}) {
    Gate& gate = store_->catalog().share()->share(kNs.full())->partitions[heir].partition->gate();
    gate.close();
    reap();
    gate.open(gate.version());
    EXPECT_EQ(rows(), 1);
  }
  reap();
  EXPECT_EQ(rows(), 0);
}

TEST_F(Reaper, ADroppedCollectionTakesItsRowsAlongAndOnlyThose) {
  const Namespace other("test", "other");
  ASSERT_TRUE(store_->catalog().get_or_create(other).ok());
  const PartitionId others = store_->catalog().snapshot().find(other.full())->partitions[0].partition->id();
  const auto note_there = [&](WriteAttempt& attempt) {
    return attempt.unit().note_retry(others, session(9), {0, 0, StatementKind::kDelete, {}});
  };
  ASSERT_TRUE(write(*store_, other, {}, note_there).ok());
  for (int i = 0; i < 50; ++i) note(session(static_cast<std::uint8_t>(i), 1, i * 7));
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_EQ(rows(), 1);
  crash();
  EXPECT_EQ(rows(), 1);
  ASSERT_TRUE(store_->catalog().drop_database("test").ok());
  EXPECT_EQ(rows(), 0);
}

}  // namespace
}  // namespace partita::shards
