// SPDX-License-Identifier: GPL-3.0-or-later
//
// Collections that hold documents are divided by a key, by another one, and put together again: where the documents are
// then, what goes on meanwhile, and what is left when it is broken off.
#include <atomic>
#include <future>
#include <thread>

#include "shards/balance/options.h"
#include "shards/moves/key_sample.h"
#include "shards/moves/merge_by_copy.h"
#include "shards/moves/mover.h"
#include "shards/router/collection_scan.h"
#include "shards/sessions/retry_rows.h"
#include "shards/snapshot/partition_export.h"
#include "tests/shards/moves/repartition_fixture.h"
#include "tests/support/random.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;
using test::Random;

TEST_F(RepartitionTest, DividesAFilledCollectionByAHash) {
  open("a");
  fill(3000);
  ASSERT_TRUE(create_index("{key: {n: 1}, name: 'n_1'}").ok());
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  EXPECT_EQ(collection()->partitions.size(), 4U);
  EXPECT_EQ(collection()->indexes.size(), 2U) << "that of n and that of _id";
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, DividesAHundredThousandAndPutsThemTogether) {
  open("a");
  fill(100'000);
  ASSERT_TRUE(shard("{region: 'hashed'}", even(16)).ok());
  expect_model();
  ASSERT_TRUE(unshard().ok());
  expect_model();
}

TEST_F(RepartitionTest, CutsARangeWhereTheDocumentsAre) {
  open("a");
  fill(3000);
  const auto always = [] { return Status(); };
  const auto bounds = sample_bounds(*store_, *collection(), by("{n: 1}").key, 4, always);
  ASSERT_TRUE(bounds.ok());
  ASSERT_EQ(bounds->size(), 3U);
  ASSERT_TRUE(shard("{n: 1}", *bounds).ok());
  expect_model();
  for (const PartitionSlot& slot : collection()->partitions) {
    EXPECT_NEAR(static_cast<double>(slot.partition->counters().total().documents), 750, 50);
  }
}

TEST_F(RepartitionTest, CutsNoLogicalKeyInTwo) {
  open("a");
  for (int id = 0; id < 300; ++id) {
    const int n = id < 200 ? 5 : id;
    ASSERT_TRUE(put(id, n).ok());
  }
  const auto always = [] { return Status(); };
  const auto bounds = sample_bounds(*store_, *collection(), by("{n: 1}").key, 4, always);
  ASSERT_TRUE(bounds.ok());
  std::set<std::string> different(bounds->begin(), bounds->end());
  EXPECT_EQ(different.size(), bounds->size());
  EXPECT_GE(bounds->size(), 1U);
  bson::Buffer hot;
  ASSERT_TRUE(by("{n: 1}").key.append_logical(bson::parse_json("{n: 5}").value(), hot).ok());
  EXPECT_FALSE(different.contains(std::string(hot.text()))) << "nothing comes before it";
}

TEST_F(RepartitionTest, RefusesAnArrayAndChangesNothing) {
  open("a");
  fill(1500);
  ASSERT_TRUE(insert("{_id: 5000, region: ['a', 'b'], n: 5000}").ok());
  const Status status = shard("{region: 'hashed'}", even(4));
  EXPECT_EQ(status.code(), Code::ShardKeyNotFound) << status.message();
  EXPECT_EQ(collection()->sharding, nullptr);
  EXPECT_EQ(collection()->partitions.size(), 1U);
  model_[5000] = 5000;
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, PutsItTogetherAgain) {
  open("a");
  fill(2000);
  ASSERT_TRUE(shard("{region: 'hashed'}", even(5)).ok());
  ASSERT_TRUE(reshard("{n: 1}", {}).ok());
  expect_model();
  ASSERT_TRUE(unshard().ok());
  EXPECT_EQ(collection()->sharding, nullptr);
  ASSERT_EQ(collection()->indexes.size(), 1U) << "what the key showed in its order is an index now";
  EXPECT_EQ(collection()->indexes[0]->name, "n_1");
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, NamesTheIdThatTwoDocumentsShare) {
  open("a");
  fill(100);
  ASSERT_TRUE(shard("{region: 1}", {}).ok());
  ASSERT_TRUE(insert("{_id: 7, region: 'elsewhere', n: 1}").ok());
  const Status status = unshard();
  EXPECT_EQ(status.code(), Code::DuplicateKey);
  EXPECT_EQ(status.message(), "E11000 duplicate key error collection: test.things index: _id_ dup key: { _id: 7 }");
  ASSERT_NE(collection()->sharding, nullptr);
  EXPECT_EQ(collection()->size().documents, 101);
  expect_no_other_tables();
}

TEST_F(RepartitionTest, GivesUpItsHeritage) {
  options_.balance = std::make_shared<BalanceOptions>();
  options_.balance->heritage_age_ms = 0;
  open("a");
  fill(100);
  const StatementId statement{.session = {1, 2, 3}, .transaction = 5, .statement = 0};
  const auto note = [&](WriteAttempt& attempt) -> Status {
    TRY(const PartitionSlot* home, attempt.enter(home_key(statement)));
    return attempt.unit().note_retry(home->partition->id(), statement, {0, 0, StatementKind::kUpdate, {}});
  };
  ASSERT_TRUE(write(*store_, kNs, {}, note).ok());
  ASSERT_TRUE(shard("{region: 1}", {}).ok());
  ASSERT_TRUE(unshard().ok());
  const auto inherits = [&] { return !store_->catalog().share()->share(kNs.full())->partitions[0].inherits.empty(); };
  for (int look = 0; look < 500 && inherits(); ++look) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(inherits());
  const auto now = store_->catalog().share()->share(kNs.full());
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  const auto found = find_statement(*session, store_->tables().retry, now->partitions[0], statement);
  EXPECT_TRUE(found.ok() && found->done);
  EXPECT_TRUE(PartitionExport::begin(*store_, now, now->partitions[0], {}).ok());
}

TEST_F(RepartitionTest, RefusesAUniqueIndexThatCouldNotBeKept) {
  open("a");
  fill(100);
  ASSERT_TRUE(create_index("{key: {n: 1}, name: 'n_1', unique: true}").ok());
  EXPECT_EQ(shard("{region: 1}", {}).code(), Code::InvalidOptions);
  ASSERT_TRUE(create_index("{key: {n: 1, _id: 1}, name: 'both', unique: true}").ok());
  EXPECT_TRUE(shard("{n: 1}", {}).ok());
  expect_model();
}

TEST_F(RepartitionTest, LeavesNothingWhenItIsInterrupted) {
  open("a");
  fill(3000);
  std::atomic<int> looks{0};
  const auto stop = [&]() -> Status { return ++looks > 20 ? error(Code::Interrupted, "enough") : Status(); };
  EXPECT_EQ(shard("{region: 'hashed'}", even(4), stop).code(), Code::Interrupted);
  EXPECT_EQ(collection()->sharding, nullptr);
  expect_model();
  expect_no_other_tables();
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  expect_model();
}

/// Holds a copy at its first chunk until it is let go.
class Held {
 public:
  explicit Held(std::function<Status()> run) {
    FailPoint::find("rowsCopied")->set({.mode = FailPoint::Mode::kAlways,
                                        .data = bson::Document::build([](bson::Writer& to) { to.add("blockTimeMS", 20); })});
    const std::int64_t before = FailPoint::find("rowsCopied")->fired();
    done_ = std::async(std::launch::async, std::move(run));
    while (FailPoint::find("rowsCopied")->fired() == before) std::this_thread::sleep_for(1ms);
  }
  Status end() {
    FailPoint::find("rowsCopied")->set({});
    return done_.get();
  }

 private:
  std::future<Status> done_;
};

TEST_F(RepartitionTest, EndsWhenTheCollectionIsDropped) {
  open("a");
  fill(5000);
  Held held([&] { return shard("{region: 'hashed'}", even(4)); });
  EXPECT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_EQ(held.end().code(), Code::ReshardCollectionAborted);
  EXPECT_EQ(collection(), nullptr);
  expect_no_other_tables();
}

TEST_F(RepartitionTest, EndsWhenItIsAborted) {
  open("a");
  fill(5000);
  EXPECT_FALSE(store_->catalog().abort_copy(kNs));
  Held held([&] { return shard("{region: 'hashed'}", even(4)); });
  EXPECT_TRUE(store_->catalog().abort_copy(kNs));
  EXPECT_EQ(held.end().code(), Code::ReshardCollectionAborted);
  EXPECT_EQ(collection()->sharding, nullptr);
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, LetsAScanOfTheOldOrderFail) {
  open("a");
  fill(100);
  CollectionScan scan(*store_, store_->catalog().share()->share(kNs.full()), {});
  ASSERT_TRUE(scan.resume().ok());
  ASSERT_TRUE(*scan.next());
  scan.suspend();
  ASSERT_TRUE(shard("{region: 'hashed'}", even(4)).ok());
  const Status status = scan.resume();
  EXPECT_EQ(status.code(), Code::QueryPlanKilled);
  EXPECT_EQ(status.message(), "the collection test.things has got another shard key since the query began");
}

/// Writers, each with documents of its own, and what they hold in the end.
class Writers {
 public:
  using Put = std::function<Status(int id, int n)>;
  using Erase = std::function<Status(int id)>;
  Writers(int threads, int first, const Put& put, const Erase& erase, std::chrono::milliseconds pause = 0ms) : models_(threads) {
    for (int t = 0; t < threads; ++t) {
      threads_.emplace_back([=, this] {
        Random random(t + 1);
        while (!stop_) {
          const int id = first + static_cast<int>(random.below(400)) * threads + t;
          const bool goes = random.below(4) == 0;
          const int n = static_cast<int>(random.below(1'000'000));
          const Status status = goes ? erase(id) : put(id, n);
          if (!status.ok()) {
            ADD_FAILURE() << status.message();
            return;
          }
          if (goes) models_[t].erase(id);
          else models_[t][id] = n;
          ++writes_;
          if (pause > 0ms) std::this_thread::sleep_for(pause);
        }
      });
    }
  }
  ~Writers() { stop(); }
  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  void add_to(std::map<int, int>& model) const {
    for (const auto& one : models_) model.insert(one.begin(), one.end());
  }
  int writes() const { return writes_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> writes_{0};
  std::vector<std::map<int, int>> models_;
  std::vector<std::thread> threads_;
};

/// Writes nothing but to documents of its own, with every _id once in the whole collection where `unique_id` says so.
class RepartitionBesideWriters : public RepartitionTest {
 protected:
  void go_on_beside_writers(bool unique_id, std::chrono::milliseconds pause = 0ms);
};

void RepartitionBesideWriters::go_on_beside_writers(bool unique_id, std::chrono::milliseconds pause) {
  open("a");
  fill(5000);
  ASSERT_TRUE(create_index("{key: {n: 1}, name: 'n_1'}").ok());
  ASSERT_TRUE(create_index("{key: {region: 1, _id: 1}, name: 'u', unique: true}").ok());
  const auto put_one = [&](int id, int n) { return put(id, n); };
  const auto erase_one = [&](int id) { return erase(id); };
  Writers writers(3, 1'000'000, put_one, erase_one, pause);
  while (writers.writes() < 200) std::this_thread::sleep_for(1ms);
  for (int round = 0; round < 2; ++round) {
    Status status = shard("{region: 1}", {}, {}, unique_id);
    ASSERT_TRUE(status.ok()) << status.message();
    status = reshard("{region: 'hashed'}", even(6));
    ASSERT_TRUE(status.ok()) << status.message();
    status = unshard();
    ASSERT_TRUE(status.ok()) << status.message();
  }
  ASSERT_TRUE(shard("{region: 'hashed'}", even(3), {}, unique_id).ok());
  const int before = writers.writes();
  while (writers.writes() < before + 100) std::this_thread::sleep_for(1ms);
  writers.stop();
  writers.add_to(model_);
  expect_model();
  crash();
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionBesideWriters, Divides) { go_on_beside_writers(false); }

TEST_F(RepartitionBesideWriters, DividesInSmallSteps) {
  options_.touched_key_bytes = 3000;
  go_on_beside_writers(false, 1ms);  // Faster ones could not be followed in steps so small.
}

TEST_F(RepartitionBesideWriters, ClaimsIds) { go_on_beside_writers(true); }

TEST_F(RepartitionBesideWriters, ClaimsIdsInSmallSteps) {
  options_.touched_key_bytes = 3000;
  go_on_beside_writers(true, 1ms);
}

std::chrono::steady_clock::duration time_of(const std::function<void()>& body) {
  const auto began = std::chrono::steady_clock::now();
  body();
  return std::chrono::steady_clock::now() - began;
}

// Writers add to the collection faster than a step's few documents can be copied. They are slowed down until they can, by some
// milliseconds at a time: none of them waits for all that they are ahead.
TEST_F(RepartitionBesideWriters, CatchesUpWithFasterOnes) {
  options_.touched_key_bytes = 30000;
  open("a");
  fill(1000);
  FailPoint::find("rowsCopied")->set({.mode = FailPoint::Mode::kAlways, .data = bson::parse_json("{blockTimeMS: 2}").value()});
  std::atomic<bool> stop{false};
  std::vector<std::chrono::steady_clock::duration> longest(3);
  std::vector<std::thread> threads;
  std::vector<int> ends(longest.size());
  for (std::size_t t = 0; t < longest.size(); ++t) {
    threads.emplace_back([&, t] {
      int id = static_cast<int>(t + 1) * 10'000'000;
      for (; !stop; ++id) longest[t] = std::max(longest[t], time_of([&] { EXPECT_TRUE(put(id, id).ok()); }));
      ends[t] = id;
    });
  }
  // What a busy machine adds, those who write elsewhere wait for too.
  std::chrono::steady_clock::duration elsewhere{};
  threads.emplace_back([&] {
    const Namespace other("test", "others");
    const auto put_one = [](WriteAttempt& attempt) { return put(attempt, text(0, 0)); };
    const auto put_there = [&] { EXPECT_TRUE(write(*store_, other, {.create_collection = true}, put_one).ok()); };
    for (; !stop; std::this_thread::sleep_for(1ms)) elsewhere = std::max(elsewhere, time_of(put_there));
  });
  const Status status = shard("{region: 'hashed'}", even(4));
  FailPoint::find("rowsCopied")->set({});
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(status.ok()) << status.message();
  for (std::size_t t = 0; t < longest.size(); ++t) {
    EXPECT_LT(longest[t], 500ms + elsewhere);
    for (int id = static_cast<int>(t + 1) * 10'000'000; id < ends[t]; ++id) model_[id] = id;
  }
  expect_model();
}

// Each document takes the value that its neighbour gives up, while it is copied.
TEST_F(RepartitionTest, LetsUniqueValuesMoveInSmallSteps) {
  options_.touched_key_bytes = 500;
  open("a");
  constexpr int kDocuments = 300;
  for (int id = 0; id < kDocuments; ++id) ASSERT_TRUE(put(id, model_[id] = id).ok());
  ASSERT_TRUE(create_index("{key: {n: 1}, name: 'u', unique: true}").ok());
  std::atomic<bool> moved{false};
  const auto move_all = [&]() -> Status {
    if (moved.exchange(true)) return {};
    for (int round = 1; round <= 3; ++round) {
      for (int id = kDocuments - 1; id >= 0; --id) CHECK_OK(put(id, model_[id] = id + round));
    }
    return {};
  };
  const Status status = shard("{n: 1}", {}, move_all);
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_TRUE(moved);
  expect_model();
}

TEST_F(RepartitionTest, CopiesPartitionsIntoTablesOfTheirOwn) {
  open("a");
  fill(4000);
  // 70 partitions begin with 64 segments: some share one.
  ASSERT_TRUE(shard("{_id: 'hashed'}", even(70)).ok());
  auto now = store_->catalog().share()->share(kNs.full());
  const auto runs = now->runs();
  const auto run = *std::ranges::find_if(runs, [](const Collection::Run& one) { return one.end - one.first > 1; });
  const auto put_one = [&](int id, int n) { return put(id, n); };
  const auto erase_one = [&](int id) { return erase(id); };
  Writers writers(2, 1'000'000, put_one, erase_one);
  std::vector<Collection::Run> each;
  for (std::size_t i = run.first; i < run.end; ++i) each.push_back({i, i + 1});
  const auto moved = store_->catalog().copy_partitions(*now, each);
  ASSERT_TRUE(moved.ok()) << moved.status().message();
  for (std::size_t i = run.first; i < run.end; ++i) {
    const Collection::Run own = (*moved)->run_of(i);
    EXPECT_EQ(own.end - own.first, 1U);
    EXPECT_EQ((*moved)->partitions[i].min, now->partitions[i].min);
    EXPECT_NE((*moved)->partitions[i].partition->id(), now->partitions[i].partition->id());
  }
  EXPECT_EQ(store_->catalog().copy_partitions(*now, each).status().code(), Code::ConflictingOperationInProgress);
  const auto merged = merge_by_copy(*store_, kNs, (*moved)->partitions[3].partition->id(), (*moved)->partitions[12].partition->id());
  ASSERT_TRUE(merged.ok()) << merged.status().message();
  EXPECT_EQ((*merged)->partitions.size(), 61U);
  EXPECT_EQ((*merged)->partitions[3].max, now->partitions[12].max);
  writers.stop();
  writers.add_to(model_);
  expect_model();
  crash();
  expect_model();
  expect_no_other_tables();
}

TEST_F(RepartitionTest, MovesOutWhatSharesTables) {
  open("a");
  fill(2000);
  ASSERT_TRUE(shard("{_id: 'hashed'}", even(66)).ok());
  const auto options = std::make_shared<MoveOptions>();
  options->quiet_looks = 1 << 30;  // By hand only.
  Mover mover(*store_, options);
  EXPECT_FALSE(mover.turn()) << "too small to be worth it";
  options->least_bytes = 1;
  options->enabled = false;
  EXPECT_FALSE(mover.turn());
  options->enabled = true;
  int moved = 0;
  while (mover.turn()) ++moved;
  EXPECT_EQ(moved, 2);
  EXPECT_EQ(collection()->runs().size(), 66U);
  expect_model();
  expect_no_other_tables();
}

}  // namespace
}  // namespace partita::shards
