// SPDX-License-Identifier: GPL-3.0-or-later
//
// A store, and what a crash leaves of it.
#include "tests/shards/store_fixture.h"

#include <map>
#include <thread>

#include "query/keys/encode.h"
#include "shards/catalog/rows.h"
#include "shards/indexes/entries.h"
#include "shards/sessions/retry_rows.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;

using Documents = std::vector<std::string>;

TEST_F(StoreTest, TakesACheckpointRightAfterAStart) {
  open("a");
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(insert("{_id: " + std::to_string(i) + "}").ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // The past is cut off meanwhile.
  }
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();
  EXPECT_TRUE(store_->checkpoint().ok());
}

TEST_F(StoreTest, KeepsEverythingAcknowledgedThroughACrash) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1, a: 'x'}").ok());
  ASSERT_TRUE(insert("{_id: 2, a: 'y'}").ok());
  ASSERT_TRUE(change(1, "{_id: 1, a: 'changed'}").ok());
  ASSERT_TRUE(change(2, "").ok());
  ASSERT_TRUE(insert("{_id: 3}").ok());
  const Documents before = contents();
  EXPECT_EQ(before, (Documents{R"({"_id":1,"a":"changed"})", R"({"_id":3})"}));
  crash();
  EXPECT_EQ(contents(), before);
  crash();  // Nothing has been written since: replay is repeatable.
  EXPECT_EQ(contents(), before);
}

TEST_F(StoreTest, ReplaysOnlyWhatLiesBehindTheCheckpoint) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1, a: 1}").ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  ASSERT_TRUE(change(1, "{_id: 1, a: 2}").ok());
  ASSERT_TRUE(insert("{_id: 2}").ok());
  crash();
  EXPECT_EQ(contents(), (Documents{R"({"_id":1,"a":2})", R"({"_id":2})"}));
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();
  EXPECT_EQ(contents(), (Documents{R"({"_id":1,"a":2})", R"({"_id":2})"}));
}

TEST_F(StoreTest, TakesADocumentsSmallChangeAsADifference) {
  open("a");
  const std::string filler(5000, 'f');
  ASSERT_TRUE(insert("{_id: 1, n: 1, filler: '" + filler + "'}").ok());
  const std::uint64_t before = store_->log(kDataLog).appended_bytes();
  ASSERT_TRUE(change(1, "{_id: 1, n: 2, filler: '" + filler + "'}").ok());
  EXPECT_LT(store_->log(kDataLog).appended_bytes() - before, 300u);
  const Documents now = contents();
  crash();
  EXPECT_EQ(contents(), now);
}

TEST_F(StoreTest, KeepsViewsThroughACrash) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  const Namespace first(kNs.db(), "first"), second(kNs.db(), "second"), third(kNs.db(), "third");
  const auto options = [](const std::string& on) { return bson::parse_json("{viewOn: '" + on + "', pipeline: [{$match: {a: 1}}]}").value(); };
  for (const Namespace& ns : {first, second, third}) ASSERT_TRUE(store_->catalog().create_view(ns, options("base")).ok());
  ASSERT_TRUE(store_->catalog().alter_view(second, options("other")).ok());
  ASSERT_TRUE(store_->catalog().drop_view(third).value());
  const auto expect_two = [&] {
    const auto snapshot = store_->catalog().share();
    ASSERT_EQ(snapshot->views->size(), 2u);
    EXPECT_EQ(snapshot->view(first.full())->on(), "base");
    EXPECT_EQ(snapshot->view(second.full())->on(), "other");
    EXPECT_EQ(snapshot->find(first.full()), nullptr);
  };
  expect_two();
  crash();
  expect_two();
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();
  expect_two();
  ASSERT_TRUE(store_->catalog().drop_database(kNs.db()).ok());
  crash();
  EXPECT_TRUE(store_->catalog().share()->views->empty());
  EXPECT_TRUE(store_->catalog().share()->databases().empty());
}

TEST_F(StoreTest, RefusesASecondDocumentOfOneId) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  EXPECT_EQ(insert("{_id: {$numberDecimal: '1.00'}}").code(), Code::DuplicateKey);
  EXPECT_EQ(contents(), (Documents{R"({"_id":1})"}));
  crash();
  EXPECT_EQ(contents(), (Documents{R"({"_id":1})"}));
}

TEST_F(StoreTest, RebuildsAnIndexThatTheCheckpointDoesNotHold) {
  open("a");
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(insert("{_id: " + std::to_string(i) + ", a: [" + std::to_string(i % 7) + "]}").ok());
  const bson::Document definition = bson::parse_json("{key: {a: 1}, name: 'a_1'}").value();
  ASSERT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok());
  ASSERT_TRUE(change(3, "{_id: 3, a: 'moved'}").ok());
  ASSERT_TRUE(insert("{_id: 100, a: 5}").ok());
  const Documents before = contents();
  crash();
  ASSERT_EQ(collection()->indexes.size(), 1u);
  EXPECT_EQ(contents(), before);
  EXPECT_NE(collection()->partitions[0].indexes[0]->multikey.load(), 0u);
  ASSERT_TRUE(store_->checkpoint().ok());
  crash();
  EXPECT_EQ(contents(), before);
  EXPECT_NE(collection()->partitions[0].indexes[0]->multikey.load(), 0u);
}

TEST_F(StoreTest, AUniqueIndexHasOneWinnerInARace) {
  open("a");
  const bson::Document definition = bson::parse_json("{key: {u: 1}, name: 'u_1', unique: true}").value();
  ASSERT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok());
  constexpr int kThreads = 8;
  constexpr int kValues = 40;
  std::atomic<int> won{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int v = 0; v < kValues; ++v) {
        const Status status = insert("{_id: " + std::to_string(t * 1000 + v) + ", u: " + std::to_string(v) + "}");
        if (status.ok()) ++won;
        EXPECT_TRUE(status.ok() || status.code() == Code::DuplicateKey) << status.message();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won.load(), kValues);
  EXPECT_EQ(contents().size(), static_cast<std::size_t>(kValues));
}

TEST_F(StoreTest, DroppedCollectionsLeaveNoTables) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_EQ(collection(), nullptr);
  ASSERT_TRUE(insert("{_id: 2}").ok());  // Made anew.
  crash();
  EXPECT_EQ(contents(), (Documents{R"({"_id":2})"}));
  ASSERT_TRUE(store_->checkpoint().ok());  // Until then the engine keeps what replay has changed.
  store_->catalog().remove_dropped_tables();
  int records = 0;
  const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
  for (const std::string& name : names) records += name.ends_with("-records") ? 1 : 0;
  EXPECT_EQ(records, 1);
}

TEST_F(StoreTest, RemovesTablesThatNoRowAccountsFor) {
  open("a");
  ASSERT_TRUE(store_->engine().create_table(Partition::records_table(SegmentId{99}), TableKind::kRecords).ok());
  crash();
  const std::vector<std::string> names = std::move(store_->engine().table_names()).value();
  for (const std::string& name : names) EXPECT_FALSE(name.starts_with("p99")) << name;
}

TEST_F(StoreTest, RenamesAndKeepsTheDocuments) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  const Namespace other("elsewhere", "renamed");
  ASSERT_TRUE(store_->catalog().rename(kNs, other, false).ok());
  crash();
  EXPECT_EQ(collection(), nullptr);
  EXPECT_EQ(store_->catalog().snapshot().find(other.full())->size().documents, 1);
}

TEST_F(StoreTest, RemembersARetriedStatementThroughACrash) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  const StatementId id{.session = store_->random().uuid(), .owner = 0, .transaction = 5, .statement = 2};
  const auto note = [&](WriteAttempt& attempt) {
    const std::uint8_t outcome[] = {1, 2, 3};
    return attempt.unit().note_retry(attempt.collection().partitions[0].partition->id(), id,
                                     {2, 4, StatementKind::kUpdate, outcome});
  };
  ASSERT_TRUE(write(*store_, kNs, {}, note).ok());
  crash();
  const PartitionId partition = collection()->partitions[0].partition->id();
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  const auto ask = [&](StatementId asked) { return find_statement(*session, store_->tables().retry, partition, asked); };
  StatementId asked = id;
  asked.statement = 4;
  ASSERT_TRUE(ask(asked)->done);
  EXPECT_EQ(ask(asked)->done->outcome.size(), 3u);
  asked.statement = 5;
  EXPECT_FALSE(ask(asked)->done);
  asked.transaction = 4;
  EXPECT_EQ(ask(asked).status().code(), Code::TransactionTooOld);
}

TEST_F(StoreTest, LetsOneOfTwoCopiesOfAStatementTakeEffect) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  const Uuid session = store_->random().uuid();
  int effects = 0;
  const auto once = [&](std::int64_t transaction, const std::function<void()>& between) {
    const StatementId id{.session = session, .owner = 0, .transaction = transaction, .statement = 0};
    bool done = false;
    const auto body = [&](WriteAttempt& attempt) -> Status {
      TRY(const PartitionSlot* slot, attempt.enter(home_key(id)));
      TRY(const EarlierStatement earlier, attempt.unit().find_statement(*slot, id));
      done = !earlier.done.has_value();
      if (!done) return {};
      between();
      return attempt.unit().note_retry(slot->partition->id(), id, {0, 0, StatementKind::kUpdate, {}},
                                       earlier.begun ? Begun::kUnknown : Begun::kNew);
    };
    EXPECT_TRUE(write(*store_, kNs, {}, body).ok());
    effects += done ? 1 : 0;
  };
  const auto nothing = [] {};
  // The first number finds no row of the session, the second writes where it has found one.
  for (const std::int64_t transaction : {1, 2}) {
    effects = 0;
    bool raced = false;
    once(transaction, [&] {
      if (!std::exchange(raced, true)) std::thread([&] { once(transaction, nothing); }).join();
    });
    EXPECT_EQ(effects, 1);
  }
}

TEST_F(StoreTest, ManyWritersAndCheckpointsLoseNothing) {
  open("a");
  constexpr int kWriters = 4;
  constexpr int kEach = 150;
  ASSERT_TRUE(insert("{_id: 'first'}").ok());
  std::atomic<int> running{kWriters};
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      for (int i = 0; i < kEach; ++i) {
        const int id = w * kEach + i;
        EXPECT_TRUE(insert("{_id: " + std::to_string(id) + ", i: 0}").ok());
        const std::string changed = "{_id: " + std::to_string(id) + ", i: 1, more: 'xxxxxxxx'}";
        EXPECT_TRUE(i % 3 != 0 || change(id, changed).ok());
        EXPECT_TRUE(i % 5 != 0 || change(id, "").ok());
      }
      --running;
    });
  }
  while (running > 0) EXPECT_TRUE(store_->checkpoint().ok());
  for (std::thread& thread : threads) thread.join();
  const Documents before = contents();
  EXPECT_EQ(before.size(), 1u + kWriters * (kEach - kEach / 5));
  crash();
  EXPECT_EQ(contents(), before);
}

}  // namespace
}  // namespace partita::shards
