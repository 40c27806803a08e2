// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batches of documents while the partitions that they go to are split: a batch ends where one is closed and goes on behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "commands/server.h"
#include "shards/catalog/exclusion.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "tests/commands/balance_settings.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class BatchesBesideSplits : public testing::Test {
 protected:
  BatchesBesideSplits() {
    balance_->partition_bytes = 16 << 10;
    balance_->splits = true;
  }
  ~BatchesBesideSplits() override { closed_.set({}); }

  static std::string batch(int writer, int number, int documents) {
    std::string text = "{insert: 'c', documents: [";
    for (int i = 0; i < documents; ++i) {
      text += ::partita::detail::join(i > 0 ? ", " : "", "{_id: ", (writer * 1000 + number) * 1000 + i, ", w: ", writer, "}");
    }
    return ::partita::detail::join(text, "], lsid: {id: UUID(\"00000000-0000-0000-0000-00000000000", writer,
                                   "\")}, txnNumber: NumberLong(", number, ")}");
  }

  shards::FailPoint& closed_ = *shards::FailPoint::find("splitClosed");
  BalanceSettings balance_;
  InProcess server_;
};

TEST_F(BatchesBesideSplits, StoreEachDocumentOnce) {
  constexpr int kWriters = 3;
  constexpr int kBatches = 24;
  constexpr int kMostBatches = 500;  // Until there have been some splits.
  constexpr int kDocuments = 500;
  ASSERT_THAT(server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}}"), HasSubstr("ok: 1.0"));
  const bson::Document slow = bson::Document::build([](bson::Writer& data) { data.add("blockTimeMS", 5); });
  closed_.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::Document(slow.view())});
  const std::int64_t before = closed_.fired();
  std::atomic<int> batches{0};
  std::vector<std::thread> writers;
  for (int writer = 1; writer <= kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      Client client(server_.server());
      const auto goes_on = [&](int number) { return number <= kBatches || (number <= kMostBatches && closed_.fired() <= before + 3); };
      for (int number = 1; goes_on(number); ++number, ++batches) {
        const std::string sent = batch(writer, number, kDocuments);
        EXPECT_EQ(client.run(sent), ::partita::detail::join("{n: ", kDocuments, ", ok: 1.0}"));
        EXPECT_THAT(client.run(sent), StartsWith(::partita::detail::join("{n: ", kDocuments, ", ")));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(closed_.fired(), before + 3) << "nothing was split meanwhile";
  EXPECT_EQ(server_.run("{count: 'c'}"), ::partita::detail::join("{n: ", batches * kDocuments, ", ok: 1.0}"));
  EXPECT_THAT(server_.run("{aggregate: 'c', pipeline: [{$group: {_id: '$_id', times: {$sum: 1}}}, {$match: {times: {$gt: 1}}}], cursor: {}}"),
              HasSubstr("firstBatch: []"));
}

// Who is about to close a partition says so: from then on a batch goes in in small parts, each a record of its own, so that
// nobody has to wait for a whole one.
TEST_F(BatchesBesideSplits, GoInInPartsWhereAPartitionWillSoonBeClosed) {
  balance_->splits = false;
  ASSERT_THAT(server_.run("{insert: 'c', documents: [{_id: 1}]}"), HasSubstr("n: 1,"));
  shards::Store& store = server_.server().store;
  const auto records_of = [&](int number) {
    const shards::Sequence before = store.log(shards::kDataLog).end();
    EXPECT_EQ(server_.run(batch(1, number, 500)), "{n: 500, ok: 1.0}");
    return store.log(shards::kDataLog).end() - before;
  };
  EXPECT_EQ(records_of(1), 1u);
  const auto collection = store.catalog().share()->share("test.c");
  {
    const shards::Announcement announcement(collection->partitions);
    EXPECT_EQ(records_of(2), 8u);
  }
  EXPECT_EQ(records_of(3), 1u);
}

// A duplicate in the middle is told by its place, however often the batch has ended before.
TEST_F(BatchesBesideSplits, TellWhichDocumentWasTheOneTooMany) {
  ASSERT_THAT(server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}}"), HasSubstr("ok: 1.0"));
  ASSERT_THAT(server_.run("{insert: 'c', documents: [{_id: 2001300}]}"), HasSubstr("n: 1,"));
  const bson::Document slow = bson::Document::build([](bson::Writer& data) { data.add("blockTimeMS", 2); });
  closed_.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::Document(slow.view())});
  for (int number = 2; number < 10; ++number) server_.run(batch(1, number, 500));
  const std::string answer = server_.run(batch(2, 1, 500));
  EXPECT_THAT(answer, StartsWith("{n: 300, writeErrors: [{index: 300, code: 11000"));
}

}  // namespace
}  // namespace partita::test
