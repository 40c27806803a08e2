// SPDX-License-Identifier: GPL-3.0-or-later
// Cursors as the driver drives them: batch after batch, ended early, timed out.
#include <gtest/gtest.h>

#include "tests/driver/server.h"

namespace partita::test {
namespace {

class Cursors : public testing::Test {
 protected:
  client::Cursor find(const std::string& filter, const std::string& options) const {
    return client::Cursor(
        mongoc_collection_find_with_opts(collection_.get(), json(filter).get(), json(options).get(), nullptr));
  }
  std::int64_t open() const { return number_of(client_.get(), R"({"serverStatus": 1})", "metrics.cursor.open.total", "admin"); }

  client::Client client_ = Server::shared().connect();
  Emptied collection_{client_.get(), "cursors"};
};

TEST_F(Cursors, EveryDocumentComesOnceOverManyBatches) {
  collection_.fill(1, 1000);
  const client::Cursor cursor = find("{}", R"({"batchSize": 7, "sort": {"_id": 1}})");
  const bson_t* document = nullptr;
  int expected = 1;
  while (mongoc_cursor_next(cursor.get(), &document)) {
    bson_iter_t id;
    ASSERT_TRUE(bson_iter_init_find(&id, document, "_id"));
    ASSERT_EQ(bson_iter_int32(&id), expected++);
  }
  bson_error_t error;
  EXPECT_FALSE(mongoc_cursor_error(cursor.get(), &error)) << error.message;
  EXPECT_EQ(expected, 1001);
}

TEST_F(Cursors, OneThatIsDroppedEarlyIsKilled) {
  collection_.fill(1, 100);
  const std::int64_t before = open();
  client::Cursor cursor = find("{}", R"({"batchSize": 2})");
  const bson_t* document = nullptr;
  ASSERT_TRUE(mongoc_cursor_next(cursor.get(), &document));
  EXPECT_EQ(open(), before + 1);
  cursor.reset();
  EXPECT_EQ(open(), before);
}

TEST_F(Cursors, OneThatIsKilledBehindTheDriversBackSaysSo) {
  collection_.fill(1, 10);
  const client::Cursor cursor = find("{}", R"({"batchSize": 2})");
  const bson_t* document = nullptr;
  ASSERT_TRUE(mongoc_cursor_next(cursor.get(), &document));
  const std::string id = std::to_string(mongoc_cursor_get_id(cursor.get()));
  must_run(client_.get(), R"({"killCursors": "cursors", "cursors": [{"$numberLong": ")" + id + R"("}]})");
  while (mongoc_cursor_next(cursor.get(), &document)) {
  }
  bson_error_t error;
  EXPECT_TRUE(mongoc_cursor_error(cursor.get(), &error));
  EXPECT_EQ(error.code, 43U) << error.message;
}

TEST_F(Cursors, MaxTimeIsKept) {
  collection_.fill(1, 10);
  const FailPoint late(client_.get(), "maxTimeAlwaysTimeOut", R"("mode": "alwaysOn")");
  const client::Cursor cursor = find("{}", R"({"maxTimeMS": 10000})");
  const bson_t* document = nullptr;
  EXPECT_FALSE(mongoc_cursor_next(cursor.get(), &document));
  bson_error_t error;
  EXPECT_TRUE(mongoc_cursor_error(cursor.get(), &error));
  EXPECT_EQ(error.code, 50U) << error.message;
}

TEST_F(Cursors, AggregatesGoOverBatchesToo) {
  collection_.fill(1, 300);
  const client::Bson pipeline = json(R"({"pipeline": [{"$match": {"_id": {"$gt": 100}}}, {"$sort": {"_id": -1}}]})");
  const client::Cursor cursor(mongoc_collection_aggregate(collection_.get(), MONGOC_QUERY_NONE, pipeline.get(),
                                                          json(R"({"batchSize": 9})").get(), nullptr));
  const bson_t* document = nullptr;
  int seen = 0;
  while (mongoc_cursor_next(cursor.get(), &document)) ++seen;
  EXPECT_EQ(seen, 200);
}

}  // namespace
}  // namespace partita::test
