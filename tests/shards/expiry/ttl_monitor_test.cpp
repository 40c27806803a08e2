// SPDX-License-Identifier: GPL-3.0-or-later
//
// Documents that expire, by a clock that the test sets.
#include "shards/expiry/ttl_monitor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <thread>

#include "shards/router/partition_scan.h"
#include "shards/router/record_keys.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "tests/shards/write_at.h"
#include "wire/bson/json.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

const Namespace kNs{"test", "things"};
constexpr std::int64_t kNow = 1'700'000'000'000;

class SetClock final : public WallClock {
 public:
  std::int64_t now_ms() const override { return now.load(); }
  std::atomic<std::int64_t> now{kNow};
};

class TtlTest : public testing::Test {
 protected:
  TtlTest() {
    fs::create_directories(root_);
    options_->enabled = false;  // A pass is made when the test says so.
    open();
  }
  ~TtlTest() override {
    for (FailPoint* point : FailPoint::all()) point->set({});
    store_.reset();
    fs::remove_all(root_);
  }
  void open() {
    StoreOptions options;
    options.engine.path = root_;
    options.engine.cache_bytes = 64 << 20;
    options.ttl = options_;
    store_ = std::move(Store::open(options, wall_)).value();
  }

  Status make_index(const std::string& definition) {
    const bson::Document parsed = bson::parse_json(definition).value();
    return store_->catalog().create_indexes(kNs, {parsed.view()}).status();
  }
  Status put(int id, const std::string& fields) {
    const bson::Document document = bson::parse_json(detail::join("{_id: ", id, ", ", fields, "}")).value();
    return write(*store_, kNs, {.create_collection = true}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
      return put_at(attempt, key.bytes(), document);
    });
  }
  static std::string date(std::int64_t seconds_from_now) {
    return detail::join("{$date: {$numberLong: '", kNow + seconds_from_now * 1000, "'}}");
  }
  /// _ids of what is there.
  std::set<int> left() {
    std::set<int> ids;
    const auto collection = store_->catalog().share()->share(kNs.full());
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    const ScanOrder order;
    PartitionScan scan = std::move(PartitionScan::open(*session, collection->partitions[0], order)).value();
    while (*scan.next()) {
      const bson::View document = *scan.document();
      ids.insert(document["_id"].as_int32());
    }
    EXPECT_EQ(collection->size().documents, static_cast<std::int64_t>(ids.size()));
    return ids;
  }
  std::set<int> left_after_pass() {
    store_->ttl().pass();
    return left();
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-ttl-" + std::to_string(::getpid()) + "-" +
                                                     testing::UnitTest::GetInstance()->current_test_info()->name());
  SetClock wall_;
  std::shared_ptr<TtlOptions> options_ = std::make_shared<TtlOptions>();
  std::unique_ptr<Store> store_;
};

TEST_F(TtlTest, DeletesWhatIsOldEnough) {
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'at', expireAfterSeconds: 100}").ok());
  ASSERT_TRUE(put(1, "at: " + date(-101)).ok());
  ASSERT_TRUE(put(2, "at: " + date(-100)).ok());
  ASSERT_TRUE(put(3, "at: " + date(-99)).ok());
  ASSERT_TRUE(put(4, "at: " + date(1000)).ok());
  ASSERT_TRUE(put(5, "at: {$date: {$numberLong: '-5'}}").ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{3, 4}));
  wall_.now += 1000;
  EXPECT_EQ(left_after_pass(), (std::set<int>{4}));
  EXPECT_EQ(store_->ttl().figures().passes, 2);
  EXPECT_EQ(store_->ttl().figures().deleted, 4);
}

TEST_F(TtlTest, KnowsDatesOnly) {
  ASSERT_TRUE(make_index("{key: {at: -1}, name: 'at', expireAfterSeconds: 0}").ok());
  int id = 0;
  for (const char* value : {"1", "null", "'2001-01-01'", "{$timestamp: {t: 1, i: 1}}", "{}", "[]", "{d: {$date: {$numberLong: '1'}}}"}) {
    ASSERT_TRUE(put(++id, detail::join("at: ", value)).ok());
  }
  ASSERT_TRUE(put(++id, "other: " + date(-5)).ok());
  ASSERT_TRUE(put(++id, "at: " + date(-5)).ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(TtlTest, TakesTheLeastDateOfAnArray) {
  ASSERT_TRUE(make_index("{key: {'l.at': 1}, name: 'at', expireAfterSeconds: 10}").ok());
  ASSERT_TRUE(put(1, "l: [{at: " + date(50) + "}, {at: " + date(-50) + "}, {at: 7}]").ok());
  ASSERT_TRUE(put(2, "l: [{at: " + date(50) + "}, {at: " + date(-5) + "}]").ok());
  ASSERT_TRUE(put(3, "l: {at: [" + date(-60) + ", " + date(-70) + "]}").ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{2}));
  EXPECT_EQ(store_->ttl().figures().deleted, 2);
}

TEST_F(TtlTest, OfAPartialOrHiddenIndexToo) {
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'at', expireAfterSeconds: 0, hidden: true, partialFilterExpression: {done: true}}").ok());
  ASSERT_TRUE(put(1, "done: true, at: " + date(-5)).ok());
  ASSERT_TRUE(put(2, "done: false, at: " + date(-5)).ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{2}));
  ASSERT_TRUE(put(2, "done: true, at: " + date(-5)).ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{}));
}

TEST_F(TtlTest, LeavesAloneWhatHasNoDateInItsIndex) {
  ASSERT_TRUE(make_index("{key: {at: 'hashed'}, name: 'hash', expireAfterSeconds: 0}").ok());
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'plain'}").ok());
  ASSERT_TRUE(put(1, "at: " + date(-5)).ok());
  EXPECT_EQ(left_after_pass(), (std::set<int>{1}));
}

TEST_F(TtlTest, DeletesManyAndStaysSound) {
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'at', expireAfterSeconds: 0}").ok());
  constexpr int kDocuments = 1000;
  for (int id = 0; id < kDocuments; ++id) ASSERT_TRUE(put(id, "at: " + date(id % 2 == 0 ? -id - 1 : 500)).ok());
  EXPECT_EQ(left_after_pass().size(), kDocuments / 2);
  store_.reset();
  open();
  EXPECT_EQ(left().size(), kDocuments / 2);
  wall_.now += 1000 * 1000;
  EXPECT_EQ(left_after_pass().size(), 0U);
}

/// A document that is changed between being found and being deleted stays.
TEST_F(TtlTest, LooksAgainBeforeItDeletes) {
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'at', expireAfterSeconds: 0}").ok());
  for (int id = 1; id <= 3; ++id) ASSERT_TRUE(put(id, "at: " + date(-5)).ok());
  FailPoint::find("ttlBatchFound")->set({.mode = FailPoint::Mode::kAlways,
                                         .data = bson::Document::build([](bson::Writer& to) { to.add("blockTimeMS", 500); })});
  std::thread pass([&] { store_->ttl().pass(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  ASSERT_TRUE(put(2, "at: " + date(5)).ok());
  pass.join();
  EXPECT_EQ(left(), (std::set<int>{2}));
}

TEST_F(TtlTest, RunsOfItsOwnAccord) {
  ASSERT_TRUE(make_index("{key: {at: 1}, name: 'at', expireAfterSeconds: 0}").ok());
  ASSERT_TRUE(put(1, "at: " + date(-5)).ok());
  options_->sleep_seconds = 1;
  options_->enabled = true;
  for (int tries = 0; tries < 300 && !left().empty(); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(left(), (std::set<int>{}));
  EXPECT_GE(store_->ttl().figures().passes, 0);
}

}  // namespace
}  // namespace partita::shards
