// SPDX-License-Identifier: GPL-3.0-or-later
//
// Steps along the log are from one exact moment to another, however short they are.
#include <map>
#include <thread>

#include "shards/snapshot/follower.h"
#include "tests/shards/store_fixture.h"
#include "tests/support/random.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;
using test::Random;
using Rows = std::map<std::string, std::string>;

class FollowerTest : public StoreTest {
 protected:
  static constexpr int kIds = 40;

  void open_with(std::size_t touched_key_bytes) {
    options_.touched_key_bytes = touched_key_bytes;
    open("store");
    ASSERT_TRUE(insert("{_id: -1, n: 0}").ok());
    partition_ = collection()->partitions[0].partition->id();
  }
  /// One write, of one or several documents.
  void write_some(Random& random) {
    const int id = static_cast<int>(random.below(kIds));
    const std::string document = detail::join("{_id: ", id, ", n: ", random.below(1000), "}");
    const Status changed = change(id, random.one_in(4) ? "" : document);
    if (changed.code() == Code::NoSuchKey) {
      ASSERT_TRUE(insert(document).ok());
    }
    states_.push_back(rows(ReadPoint::now(*store_)));
  }
  Rows rows(const Result<ReadPoint>& moment) {
    EXPECT_TRUE(moment.ok()) << moment.status().message();
    return moment.ok() ? rows(*moment) : Rows();
  }
  Rows rows(const ReadPoint& moment) {
    Rows found;
    Cursor at = std::move(moment.session().cursor(collection()->partitions[0].partition->records())).value();
    while (*at.next()) found.emplace(text(at.key()), text(at.value()));
    return found;
  }
  static std::string text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

  PartitionId partition_{0};
  std::vector<Rows> states_;  ///< After each write.
};

TEST_F(FollowerTest, ComesByEveryMomentInSmallSteps) {
  open_with(1);
  Follower follower(*store_, std::vector{partition_});
  ASSERT_TRUE(follower.begin().ok());
  const Rows first = rows(follower.seen());
  Random random(5);
  for (int i = 0; i < 60; ++i) write_some(random);
  std::this_thread::sleep_for(200ms);  // The past would be cut off long ago.
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(follower.aim().ok());
  std::size_t step = 0;
  Rows seen = first;
  while (true) {
    const Result<bool> more = follower.step([] { return Status(); });
    ASSERT_TRUE(more.ok()) << more.status().message();
    if (!*more) break;
    Rows next = rows(follower.next());
    if (step < states_.size()) {
      EXPECT_EQ(next, states_[step]) << "step " << step;
      EXPECT_EQ(follower.touched(), 1U);
    }
    for (const auto& [key, value] : next) {
      const auto was = seen.find(key);
      const bool same = was != seen.end() && was->second == value;
      EXPECT_TRUE(same || follower.touched(partition_).contains(key));
    }
    for (const auto& [key, value] : seen) EXPECT_TRUE(next.contains(key) || follower.touched(partition_).contains(key));
    seen = std::move(next);
    follower.arrive();
    if (++step == 20) std::this_thread::sleep_for(120ms);
  }
  EXPECT_GE(step, states_.size());
  EXPECT_EQ(seen, states_.back());
  EXPECT_EQ(follower.behind(), 0U);
}

TEST_F(FollowerTest, GoesToALaterGoalInTheMiddleOfAnEarlierOne) {
  open_with(300);
  Follower follower(*store_, std::vector{partition_});
  ASSERT_TRUE(follower.begin().ok());
  Random random(6);
  for (int i = 0; i < 30; ++i) write_some(random);
  ASSERT_TRUE(follower.aim().ok());
  ASSERT_TRUE(*follower.step([] { return Status(); }));
  EXPECT_LE(follower.touched(), 4U);
  follower.arrive();
  for (int i = 0; i < 30; ++i) write_some(random);
  ASSERT_TRUE(follower.aim().ok());
  while (*follower.step([] { return Status(); })) follower.arrive();
  EXPECT_EQ(rows(follower.seen()), states_.back());
}

TEST_F(FollowerTest, TakesOneStepWhereThereIsRoom) {
  open_with(1 << 20);
  Follower follower(*store_, std::vector{partition_});
  ASSERT_TRUE(follower.begin().ok());
  Random random(7);
  for (int i = 0; i < 30; ++i) write_some(random);
  ASSERT_TRUE(follower.aim().ok());
  ASSERT_TRUE(*follower.step([] { return Status(); }));
  EXPECT_GT(follower.touched(), 10U);
  follower.arrive();
  EXPECT_FALSE(*follower.step([] { return Status(); }));
  EXPECT_EQ(rows(follower.seen()), states_.back());
}

}  // namespace
}  // namespace partita::shards
