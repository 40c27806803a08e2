// SPDX-License-Identifier: GPL-3.0-or-later
//
// Indexes built over collections that are written to: what ends up in them, what goes on meanwhile, and what a build that
// is broken off leaves behind.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>

#include "shards/indexes/build_options.h"
#include "shards/partitions/check.h"
#include "shards/router/record_keys.h"
#include "shards/router/write.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "tests/shards/write_at.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::Random;

const Namespace kNs{"test", "things"};
const Namespace kOther{"test", "other"};

class IndexBuildTest : public testing::Test {
 protected:
  IndexBuildTest() {
    fs::create_directories(root_);
    open(StoreOptions().touched_key_bytes);
  }
  ~IndexBuildTest() override {
    for (FailPoint* point : FailPoint::all()) point->set({});
    store_.reset();
    fs::remove_all(root_);
  }

  void open(std::size_t touched_key_bytes) {
    store_.reset();
    StoreOptions options;
    options.engine.path = root_;
    options.engine.cache_bytes = 64 << 20;
    options.touched_key_bytes = touched_key_bytes;
    options.builds = builds_;
    store_ = std::move(Store::open(options, wall_)).value();
  }
  void build_beside_writers();

  static void slow_down(std::string_view point, int ms) {
    FailPoint::find(point)->set({.mode = FailPoint::Mode::kAlways,
                                 .data = bson::Document::build([&](bson::Writer& to) { to.add("blockTimeMS", ms); })});
  }

  Status put(const Namespace& ns, int id, const bson::Document& document) {
    return write(*store_, ns, {.create_collection = true}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
      return put_at(attempt, key.bytes(), document);
    });
  }
  Status put(const Namespace& ns, int id, const std::string& fields) {
    return put(ns, id, bson::parse_json(detail::join("{_id: ", id, ", ", fields, "}")).value());
  }
  Status erase(int id) {
    return write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
      return erase_at(attempt, key.bytes());
    });
  }
  /// Values that no two documents share at one moment, and arrays of any length.
  Status put_random(int id, Random& random) {
    std::string list;
    for (auto left = random.below(4); left > 0; --left) list += detail::join(list.empty() ? "" : ", ", random.below(50));
    return put(kNs, id, detail::join("u: ", id * 1000 + static_cast<int>(random.below(1000)), ", l: [", list, "]"));
  }
  void fill(int documents) {
    Random random(1);
    for (int id = 0; id < documents; ++id) ASSERT_TRUE(put_random(id, random).ok());
  }

  Result<Catalog::IndexCounts> create(std::initializer_list<const char*> texts, const Catalog::Interrupt& go_on = {}) {
    std::vector<bson::Document> documents;
    std::vector<bson::View> definitions;
    for (const char* text : texts) documents.push_back(bson::parse_json(text).value());
    for (const bson::Document& document : documents) definitions.push_back(document);
    return store_->catalog().create_indexes(kNs, definitions, go_on);
  }
  /// A build of {u: 1} that stands still where it first asks whether to go on, as it does again and again, until let go.
  class HeldBuild {
   public:
    explicit HeldBuild(IndexBuildTest& test) {
      auto hold = [this]() -> Status {
        if (!asked_.exchange(true)) begun_.set_value();
        while (held_) std::this_thread::sleep_for(1ms);
        return {};
      };
      built_ = std::async(std::launch::async, [&test, hold] { return test.create({"{key: {u: 1}, name: 'u'}"}, hold).status(); });
      begun_.get_future().wait();
    }
    ~HeldBuild() { held_ = false; }
    bool stands() const { return built_.wait_for(0s) == std::future_status::timeout; }
    Status let_go() {
      held_ = false;
      return built_.get();
    }

   private:
    std::atomic<bool> held_{true};
    std::atomic<bool> asked_{false};
    std::promise<void> begun_;
    std::future<Status> built_;  // Last: waits for the build when it goes.
  };
  std::size_t indexes() { return store_->catalog().share()->share(kNs.full())->indexes.size(); }

  /// The entries that there are are those that there must be.
  void expect_sound() {
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    for (const auto& collection : store_->catalog().share()->all()) {
      for (const PartitionSlot& slot : collection->partitions) {
        const auto findings = check_segment(*session, slot, [] { return Status(); });
        ASSERT_TRUE(findings.ok()) << findings.status().message();
        EXPECT_TRUE(findings->sound()) << collection->ns.full();
      }
    }
  }
  std::size_t index_tables() {
    EXPECT_TRUE(store_->checkpoint().ok());  // Until then the engine keeps what has been written.
    store_->catalog().remove_dropped_tables();
    const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
    return static_cast<std::size_t>(std::ranges::count_if(names, [](const auto& name) { return name.find("-index-") != name.npos; }));
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-build-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
  SystemWallClock wall_;
  const std::shared_ptr<BuildOptions> builds_ = std::make_shared<BuildOptions>();
  std::unique_ptr<Store> store_;
};

void IndexBuildTest::build_beside_writers() {
  constexpr int kDocuments = 3000;
  fill(kDocuments);
  slow_down("indexChunkFilled", 10);
  slow_down("indexCaughtUp", 5);
  slow_down("readPointDrawn", 5);
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> written{0};
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      Random random(static_cast<std::uint64_t>(w) + 7);
      while (!stop) {
        const int id = static_cast<int>(random.below(kDocuments)) * 3 + w;  // Some of them new.
        const Status status = random.one_in(4) ? erase(id) : put_random(id, random);
        EXPECT_TRUE(status.ok()) << status.message();
        ++written;
        std::this_thread::sleep_for(200us);
      }
    });
  }
  for (int round = 0; round < 3; ++round) {
    const std::int64_t before = written;
    const auto counts = create({"{key: {u: 1}, name: 'u', unique: true}", "{key: {l: 1, u: -1}, name: 'l'}",
                                "{key: {'l.1': 1}, name: 'p', sparse: true}"});
    EXPECT_TRUE(counts.ok()) << counts.status().message();
    EXPECT_GT(written, before);
    EXPECT_EQ(indexes(), 3u);
    expect_sound();
    EXPECT_TRUE(store_->catalog().drop_indexes(kNs, [](const IndexSpec&) { return true; }).ok());
  }
  EXPECT_TRUE(create({"{key: {u: 1}, name: 'u', unique: true}"}).ok());
  stop = true;
  for (std::thread& writer : writers) writer.join();
  expect_sound();
}

TEST_F(IndexBuildTest, FollowsWhatWritersDoMeanwhile) { build_beside_writers(); }

TEST_F(IndexBuildTest, FollowsWhatWritersDoInSmallSteps) {
  open(1000);
  build_beside_writers();
}

TEST_F(IndexBuildTest, SortsByWayOfFiles) {
  builds_->memory_bytes = 20'000;
  build_beside_writers();
}

TEST_F(IndexBuildTest, FindsDuplicatesThatLieInSeveralFiles) {
  builds_->memory_bytes = 10'000;
  fill(3000);
  ASSERT_TRUE(put(kNs, 5000, "u: 'twin'").ok());
  ASSERT_TRUE(put(kNs, 0, "u: 'twin'").ok());
  const Status refused = create({"{key: {u: 1}, name: 'u', unique: true}"}).status();
  EXPECT_EQ(refused.code(), Code::DuplicateKey);
  EXPECT_NE(refused.message().find("dup key: { u: \"twin\" }"), std::string::npos) << refused.message();
  EXPECT_EQ(indexes(), 0u);
  EXPECT_EQ(index_tables(), 0u);
}

/// In the round that follows, each document takes the value that its neighbour gives up.
TEST_F(IndexBuildTest, LetsUniqueValuesMoveFromOneDocumentToAnother) {
  constexpr int kDocuments = 1100;
  for (int id = 0; id < kDocuments; ++id) ASSERT_TRUE(put(kNs, id, detail::join("u: ", id)).ok());
  std::atomic<bool> moved{false};
  const auto move_all = [&]() -> Status {
    if (moved.exchange(true)) return {};
    for (int id = kDocuments - 1; id >= 0; --id) CHECK_OK(put(kNs, id, detail::join("u: ", id + 1)));
    return {};
  };
  const auto counts = create({"{key: {u: 1}, name: 'u', unique: true}"}, move_all);
  EXPECT_TRUE(counts.ok()) << counts.status().message();
  EXPECT_TRUE(moved);
  expect_sound();
}

TEST_F(IndexBuildTest, LetsUniqueValuesMoveInSmallSteps) {
  open(500);
  constexpr int kDocuments = 300;
  for (int id = 0; id < kDocuments; ++id) ASSERT_TRUE(put(kNs, id, detail::join("u: ", id)).ok());
  std::atomic<bool> moved{false};
  const auto move_all = [&]() -> Status {
    if (moved.exchange(true)) return {};
    for (int round = 1; round <= 3; ++round) {
      for (int id = kDocuments - 1; id >= 0; --id) CHECK_OK(put(kNs, id, detail::join("u: ", id + round)));
    }
    return {};
  };
  const auto counts = create({"{key: {u: 1}, name: 'u', unique: true}"}, move_all);
  EXPECT_TRUE(counts.ok()) << counts.status().message();
  EXPECT_TRUE(moved);
  expect_sound();
}

TEST_F(IndexBuildTest, RefusesADuplicateThatComesMeanwhile) {
  for (int id = 0; id < 10; ++id) ASSERT_TRUE(put(kNs, id, detail::join("u: ", id)).ok());
  std::atomic<bool> done{false};
  const auto add_twin = [&]() -> Status { return done.exchange(true) ? Status() : put(kNs, 100, "u: 5"); };
  EXPECT_EQ(create({"{key: {u: 1}, name: 'u', unique: true}"}, add_twin).status().code(), Code::DuplicateKey);
  EXPECT_EQ(indexes(), 0u);
  EXPECT_EQ(index_tables(), 0u);
  expect_sound();
}

TEST_F(IndexBuildTest, LetsEverythingElseGoOn) {
  fill(50);
  HeldBuild build(*this);
  Catalog& catalog = store_->catalog();
  EXPECT_NE(catalog.cluster_id(), bson::ObjectId{});
  EXPECT_TRUE(put(kNs, 1, "u: 7").ok());  // No waiting in any of these: the build is held until they are done.
  EXPECT_TRUE(put(kNs, 1000, "u: 8").ok());
  EXPECT_TRUE(erase(2).ok());
  EXPECT_TRUE(put(kOther, 1, "a: 1").ok());
  EXPECT_TRUE(catalog.rename(kOther, {"test", "renamed"}, false).ok());
  EXPECT_TRUE(catalog.drop({"test", "renamed"}).ok());
  EXPECT_TRUE(store_->checkpoint().ok());
  // Another change of this collection waits, and can be told not to.
  const auto impatient = [] { return error(Code::MaxTimeMSExpired, "enough"); };
  EXPECT_EQ(catalog.drop_indexes(kNs, [](const IndexSpec&) { return true; }, impatient).status().code(), Code::MaxTimeMSExpired);
  EXPECT_TRUE(build.stands());
  const Status built = build.let_go();
  EXPECT_TRUE(built.ok()) << built.message();
  expect_sound();
}

TEST_F(IndexBuildTest, LeavesNothingBehindWhenInterrupted) {
  fill(2500);
  for (const int after : {0, 1, 20, 39}) {
    int asked = 0;
    const auto interrupt = [&]() -> Status { return asked++ < after ? Status() : error(Code::Interrupted, "killed"); };
    EXPECT_EQ(create({"{key: {l: 1}, name: 'l'}", "{key: {u: 1}, name: 'u'}"}, interrupt).status().code(), Code::Interrupted);
    EXPECT_EQ(indexes(), 0u);
    EXPECT_EQ(index_tables(), 0u);
  }
  EXPECT_TRUE(create({"{key: {l: 1}, name: 'l'}"}).ok());
  EXPECT_EQ(index_tables(), 1u);
  expect_sound();
}

TEST_F(IndexBuildTest, EndsWhenItsCollectionIsDropped) {
  fill(50);
  HeldBuild build(*this);
  auto drop = std::async(std::launch::async, [&] { return store_->catalog().drop_database("test"); });
  EXPECT_EQ(drop.wait_for(50ms), std::future_status::timeout);
  EXPECT_EQ(build.let_go().code(), Code::IndexBuildAborted);
  EXPECT_TRUE(drop.get().ok());
  EXPECT_EQ(store_->catalog().share()->share(kNs.full()), nullptr);
  EXPECT_EQ(index_tables(), 0u);
}

/// A writer at a closed gate gives up when it is told to, and holds no thread for ever.
TEST_F(IndexBuildTest, WritersAtAClosedGateCanBeInterrupted) {
  fill(1);
  Gate& gate = store_->catalog().share()->share(kNs.full())->partitions[0].partition->gate();
  gate.close();
  int asked = 0;
  const WriteOptions options{.interrupted = [&]() -> Status { return ++asked < 3 ? Status() : error(Code::Interrupted, "killed"); }};
  const auto body = [](WriteAttempt& attempt) -> Status {
    bson::Buffer key;
    append_record_key_of_id(attempt.collection(), bson::Value::of(1), key);
    return attempt.enter(key.bytes()).status();
  };
  EXPECT_EQ(write(*store_, kNs, options, body).code(), Code::Interrupted);
  gate.open(gate.version());
  EXPECT_TRUE(write(*store_, kNs, options, body).ok());
}

}  // namespace
}  // namespace partita::shards
