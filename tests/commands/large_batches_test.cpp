// SPDX-License-Identifier: GPL-3.0-or-later
//
// Batches of many documents go into their tables in the order of their keys. Nobody must notice: neither who asks which
// document was refused, nor who reads the log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "commands/server.h"
#include "shards/log/record.h"
#include "shards/storage/fail_point.h"
#include "shards/store.h"
#include "tests/commands/in_process.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LargeBatches : public testing::Test {
 protected:
  static std::string command(const std::vector<int>& ids, const std::string& more = "") {
    std::string text = "{insert: 'c', documents: [";
    for (std::size_t i = 0; i < ids.size(); ++i) text += ::partita::detail::join(i > 0 ? ", " : "", "{_id: ", ids[i], "}");
    return text + "]" + more + "}";
  }
  static std::string session(int number) {
    return ::partita::detail::join(", lsid: {id: UUID(\"00000000-0000-0000-0000-000000000001\")}, txnNumber: NumberLong(", number, ")");
  }
  /// The numbers from 0 on.
  static std::vector<int> shuffled(int count, std::uint64_t seed) {
    Random random(seed);
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[random.below(i)]);
    return numbers;
  }
  std::vector<int> stored() {
    std::vector<int> ids;
    const bson::Document reply = server_.reply("{find: 'c', sort: {_id: 1}, batchSize: 10000}");
    for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document())
      ids.push_back(row.value.as_document()["_id"].as_int32());
    return ids;
  }
  /// The operations of the data log's records from there on, each as its type and, of a document, its _id.
  std::vector<std::pair<shards::OperationType, int>> logged(shards::Sequence from) {
    std::vector<std::pair<shards::OperationType, int>> found;
    const auto tail = std::move(server_.server().store.log(shards::kDataLog).tail(from)).value();
    while (const std::optional<shards::Bytes> record = *tail->next()) {
      auto reader = std::move(shards::RecordReader::open(*record)).value();
      while (const std::optional<shards::Operation> operation = *reader.next()) {
        const bool document = operation->type == shards::OperationType::kInsert;
        found.emplace_back(operation->type, document ? bson::View::trusted(operation->image.data())["_id"].as_int32() : 0);
      }
    }
    return found;
  }
  shards::Sequence log_end() { return server_.server().store.log(shards::kDataLog).end(); }

  InProcess server_;
};

TEST_F(LargeBatches, StandInTheLogAsTheyCame) {
  ASSERT_THAT(server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: 4}"), HasSubstr("ok: 1.0"));
  std::vector<int> ids(200);
  std::iota(ids.rbegin(), ids.rend(), 0);
  const shards::Sequence before = log_end();
  EXPECT_EQ(server_.run(command(ids)), "{n: 200, ok: 1.0}");
  std::vector<int> seen;
  for (const auto& [type, id] : logged(before)) seen.push_back(id);
  EXPECT_EQ(seen, ids);
}

// One row of the log for the statements of a partition that follow each other, whatever their documents' order.
TEST_F(LargeBatches, NoteNeighboursTogether) {
  ASSERT_THAT(server_.run("{shardCollection: 'test.c', key: {_id: 1}}"), HasSubstr("ok: 1.0"));
  ASSERT_THAT(server_.run("{split: 'test.c', middle: {_id: 1000}}"), HasSubstr("ok: 1.0"));
  std::vector<int> ids = shuffled(100, 7);
  for (const int id : shuffled(100, 8)) ids.push_back(1000 + id);
  const shards::Sequence before = log_end();
  EXPECT_EQ(server_.run(command(ids, session(1))), "{n: 200, ok: 1.0}");
  EXPECT_EQ(stored().size(), 200U);
  std::ptrdiff_t rows = 0;
  for (const auto& [type, id] : logged(before)) rows += type == shards::OperationType::kRetryRow ? 1 : 0;
  EXPECT_EQ(rows, 2);
}

TEST_F(LargeBatches, SentAgainStoreNothing) {
  ASSERT_THAT(server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: 4}"), HasSubstr("ok: 1.0"));
  std::vector<int> ids(300);
  std::iota(ids.rbegin(), ids.rend(), 0);
  const std::string batch = command(ids, session(1));
  EXPECT_EQ(server_.run(batch), "{n: 300, ok: 1.0}");
  EXPECT_THAT(server_.run(batch), StartsWith("{n: 300, retriedStmtIds: [0, 1, 2, "));
  EXPECT_EQ(stored().size(), 300U);
}

// Some of them are there already or come twice. What is left, what is refused, by which place and in which order, is what
// inserting them one by one would do.
TEST_F(LargeBatches, RefuseWhatOneByOneWouldBeRefused) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    server_.run("{drop: 'c'}");
    if (random.one_in(2)) server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}, numInitialChunks: 3}");
    std::set<int> model;
    for (int i = static_cast<int>(random.below(3)); i > 0; --i) model.insert(static_cast<int>(random.below(300)));
    if (!model.empty()) server_.run(command({model.begin(), model.end()}));
    std::vector<int> ids = shuffled(200, seed);
    for (int i = static_cast<int>(random.below(3)); i > 0; --i) ids[random.below(200)] = ids[random.below(200)];
    const bool ordered = random.one_in(2);
    std::vector<std::int64_t> refused;
    int inserted = 0;
    for (std::size_t i = 0; i < ids.size() && (!ordered || refused.empty()); ++i) {
      if (model.insert(ids[i]).second) ++inserted;
      else refused.push_back(static_cast<std::int64_t>(i));
    }
    const bson::Document reply = server_.reply(command(ids, ordered ? "" : ", ordered: false"));
    EXPECT_EQ(reply["n"].exact_int64(), inserted) << "seed " << seed;
    std::vector<std::int64_t> told;
    if (reply.view().has("writeErrors")) {
      for (const bson::Field& one : reply["writeErrors"].as_document()) told.push_back(*one.value.as_document()["index"].exact_int64());
    }
    EXPECT_EQ(told, refused) << "seed " << seed;
    EXPECT_EQ(stored(), std::vector<int>(model.begin(), model.end())) << "seed " << seed;
  }
}

// The collection is dropped behind their first thousand, and cannot be made again: that is no document's fault, and found before
// any of the others is looked at.
TEST_F(LargeBatches, EndWhereTheirCollectionCannotBeMade) {
  using shards::FailPoint;
  ASSERT_THAT(server_.run("{create: 'c'}"), HasSubstr("ok: 1.0"));
  FailPoint& counted = *FailPoint::find("storageBeforeCount");
  FailPoint& changed = *FailPoint::find("catalogBeforeRecord");
  const std::int64_t before = counted.fired();
  counted.set({.mode = FailPoint::Mode::kTimes, .count = 1, .data = bson::parse_json("{blockTimeMS: 500}").value()});
  std::string answer;
  std::thread inserts([&] { answer = Client(server_.server()).run(command(shuffled(3000, 1))); });
  while (counted.fired() == before) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  changed.set({.mode = FailPoint::Mode::kSkip, .count = 1, .data = bson::parse_json("{errorCode: 96}").value()});
  EXPECT_THAT(server_.run("{drop: 'c'}"), HasSubstr("ok: 1.0"));
  inserts.join();
  changed.set({});
  counted.set({});
  EXPECT_THAT(answer, StartsWith("{n: 1000, writeErrors: [{index: 1000, code: 96"));
}

TEST_F(LargeBatches, NameTheDocumentThatTheCollectionRefuses) {
  ASSERT_THAT(server_.run("{create: 'c', validator: {_id: {$lt: 150}}}"), HasSubstr("ok: 1.0"));
  std::vector<int> ids(200);
  std::iota(ids.begin(), ids.end(), 0);
  EXPECT_THAT(server_.run(command(ids)), StartsWith("{n: 150, writeErrors: [{index: 150, code: 121"));
  EXPECT_EQ(stored().size(), 150U);
}

}  // namespace
}  // namespace partita::test
