// SPDX-License-Identifier: GPL-3.0-or-later
// Legs of a walk read side by side: the same rows in the same order whatever the number of threads, no further ahead than
// they may, and nothing left of them when enough has been read.
#include "shards/router/fan_out.h"

#include <gtest/gtest.h>

#include "shards/router/each_leg.h"
#include "shards/router/leg_moment.h"
#include "tests/shards/store_fixture.h"

namespace partita::shards {
namespace {

class FanOutTest : public StoreTest {
 protected:
  static constexpr int kRows = 3000;

  void SetUp() override {
    open("a");
    idle_sessions_ = store_->engine().sessions_in_use();
    Sharding sharding;
    sharding.key = query::ShardKey::parse(bson::parse_json("{_id: 'hashed'}").value()).value();
    std::vector<std::string> bounds;
    for (std::size_t i = 1; i < 8; ++i) bounds.push_back(query::even_bound(i, 8));
    const auto made = store_->catalog().shard(kNs, sharding, bounds);
    ASSERT_TRUE(made.ok()) << made.status().message();
    for (int id = 0; id < kRows; ++id) ASSERT_TRUE(insert("{_id: " + std::to_string(id) + ", n: " + std::to_string(id % 7) + "}").ok());
    map_ = store_->catalog().snapshot().share(kNs.full());
  }

  /// But what the store's own threads have.
  void expect_nothing_held() {
    std::size_t now = store_->engine().sessions_in_use();
    for (int i = 0; i < 100 && now > idle_sessions_; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      now = std::min(now, store_->engine().sessions_in_use());
    }
    EXPECT_LE(now, idle_sessions_);
  }

  std::unique_ptr<FanOut> fan_out(const FanOutManner& manner, LegControl& control) {
    std::vector<Leg> legs;
    for (LegSpan& span : leg_spans(*map_, order_)) {
      legs.push_back({std::make_unique<LegScan>(*store_, map_, order_, span, work_, control), span});
    }
    return std::make_unique<FanOut>(std::move(legs), manner, control);
  }
  /// Up to `most` rows' ids, as one client's batch.
  std::vector<std::int64_t> read(FanOut& fan_out, LegControl& control, std::size_t most = kRows) {
    std::vector<std::int64_t> ids;
    LegMoment moment(*store_, map_);
    EXPECT_TRUE(moment.wake(control).ok());
    fan_out.begin(&pool_, {});
    query::Batch rows;
    while (ids.size() < most) {
      const Status pulled = fan_out.pull(rows);
      EXPECT_TRUE(pulled.ok()) << pulled.message();
      if (rows.empty()) break;
      for (const query::Row& row : rows.rows) ids.push_back(*row.document["_id"].exact_int64());
    }
    fan_out.rest();
    return ids;
  }

  std::size_t idle_sessions_ = 0;
  std::shared_ptr<const Collection> map_;
  ScanOrder order_;
  LegWork work_;
  wire::WorkerPool pool_{"leg", 3, 100};
};

TEST_F(FanOutTest, HandsOnOneOrderWhateverTheThreads) {
  LegControl alone;
  const auto wanted = read(*fan_out({.rows_stay = true, .degree = 0}, alone), alone);
  EXPECT_EQ(wanted.size(), static_cast<std::size_t>(kRows));
  for (const std::int64_t degree : {1, 2, 4, 9, -1}) {
    for (const std::int64_t buffered : {-1, 0, 1, 3, 100}) {
      LegControl control;
      const auto rows = fan_out({.rows_stay = true, .degree = degree, .buffered = buffered}, control);
      EXPECT_EQ(read(*rows, control), wanted) << degree << " " << buffered;
      EXPECT_LE(rows->threads(), degree < 0 ? std::thread::hardware_concurrency() : static_cast<unsigned>(degree));
      if (buffered >= 0) {
        EXPECT_LE(rows->most_buffered(), std::max<std::size_t>(static_cast<std::size_t>(buffered), 1)) << degree;
      }
    }
  }
}

TEST_F(FanOutTest, MergesByTheKeysOfTheRows) {
  for (const std::int64_t degree : {0, 2, 5}) {
    for (const std::int64_t buffered : {-1, 0, 40}) {
      LegControl control;
      const auto rows = fan_out({.merges = true, .rows_stay = true, .degree = degree, .buffered = buffered}, control);
      LegControl in_turn;
      // Record keys are the order of the map, so that here both orders are one.
      EXPECT_EQ(read(*rows, control), read(*fan_out({.rows_stay = true, .degree = 0}, in_turn), in_turn));
      if (buffered >= 0) {
        EXPECT_LE(rows->most_buffered(), std::max<std::size_t>(static_cast<std::size_t>(buffered), rows->legs()));
      }
    }
  }
}

TEST_F(FanOutTest, GoesOnAfterARest) {
  LegControl alone;
  const auto wanted = read(*fan_out({.rows_stay = true, .degree = 0}, alone), alone);
  LegControl control;
  const auto rows = fan_out({.rows_stay = true, .degree = 3}, control);
  std::vector<std::int64_t> met;
  while (met.size() < wanted.size()) {
    const auto some = read(*rows, control, 100);
    ASSERT_FALSE(some.empty());
    met.insert(met.end(), some.begin(), some.end());
    expect_nothing_held();
  }
  EXPECT_EQ(met, wanted);
}

TEST_F(FanOutTest, StopsEarlyAndLeavesNothing) {
  for (int i = 0; i < 50; ++i) {
    LegControl control;
    const auto rows = fan_out({.rows_stay = true, .degree = 4}, control);
    EXPECT_FALSE(read(*rows, control, 1).empty());
    rows->end();
    expect_nothing_held();
  }
}

TEST_F(FanOutTest, ReadsAllByItselfWhenThePoolIsFull) {
  std::atomic<bool> go{false};
  wire::WorkerPool full("full", 1, 1);
  while (!full.submit([&] { while (!go) std::this_thread::yield(); })) {}
  LegControl control;
  const auto rows = fan_out({.rows_stay = true, .degree = 8}, control);
  LegMoment moment(*store_, map_);
  ASSERT_TRUE(moment.wake(control).ok());
  rows->begin(&full, {});
  query::Batch batch;
  std::size_t count = 0;
  do {
    ASSERT_TRUE(rows->pull(batch).ok());
    count += batch.size();
  } while (!batch.empty());
  rows->rest();
  EXPECT_EQ(count, static_cast<std::size_t>(kRows));
  go = true;
}

TEST_F(FanOutTest, ReturnsTheFailureOfTheFirstLegThatHasOne) {
  for (int round = 0; round < 50; ++round) {
    LegControl control;
    std::atomic<int> done{0};
    const EachLeg each{.legs = 20, .work = [&](std::size_t leg, unsigned) -> Status {
                         if (leg == 7 || leg == 8 || leg == 15) return error(Code::BadValue, "leg ", leg);
                         ++done;
                         return {};
                       }};
    const Status status = for_each_leg(each, crew_size(&pool_, 4, 20), control, {});
    EXPECT_EQ(status.message(), "leg 7");
    EXPECT_GE(done, 7);
  }
}

}  // namespace
}  // namespace partita::shards
