// SPDX-License-Identifier: GPL-3.0-or-later
// Writes as the driver sends them: bulks, write concerns, sessions, and the retries that must have one effect.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/driver/server.h"

namespace partita::test {
namespace {

class Writes : public testing::Test {
 protected:
  /// An insert of 1, 1 again, and 2, an update and a delete; what the driver sums up of it.
  std::string bulk(bool ordered) {
    const client::Bson options = json(std::string(R"({"ordered": )") + (ordered ? "true}" : "false}"));
    mongoc_bulk_operation_t* bulk = mongoc_collection_create_bulk_operation_with_opts(collection_.get(), options.get());
    for (const int id : {1, 1, 2}) {
      const client::Bson document(BCON_NEW("_id", BCON_INT32(id)));
      mongoc_bulk_operation_insert_with_opts(bulk, document.get(), nullptr, nullptr);
    }
    mongoc_bulk_operation_update_one_with_opts(bulk, json(R"({"_id": 2})").get(), json(R"({"$set": {"a": 1}})").get(),
                                               nullptr, nullptr);
    mongoc_bulk_operation_remove_one_with_opts(bulk, json(R"({"_id": 1})").get(), nullptr, nullptr);
    client::Reply reply;
    bson_error_t error;
    EXPECT_EQ(mongoc_bulk_operation_execute(bulk, reply.into(), &error), 0U);
    EXPECT_EQ(error.code, 11000U) << error.message;
    mongoc_bulk_operation_destroy(bulk);
    std::string sums;
    for (const char* field : {"nInserted", "nModified", "nRemoved"})
      sums += std::to_string(reply.number(field).value_or(-1)) + " ";
    return sums;
  }
  void retried_once(const std::string& data, const std::string& options);

  client::Client client_ = Server::shared().connect();
  Emptied collection_{client_.get(), "writes"};
};

TEST_F(Writes, AnOrderedBulkStopsAtItsFirstError) {
  EXPECT_EQ(bulk(true), "1 0 0 ");
  EXPECT_EQ(count(client_.get(), "writes"), 1);
}

TEST_F(Writes, AnUnorderedBulkDoesWhatItCan) {
  EXPECT_EQ(bulk(false), "2 1 1 ");
  EXPECT_EQ(count(client_.get(), "writes"), 1);
}

TEST_F(Writes, DuplicatesAreToldWithPatternAndValue) {
  EXPECT_EQ(collection_.insert(R"({"_id": 1})"), std::nullopt);
  bson_error_t error;
  EXPECT_FALSE(mongoc_collection_insert_one(collection_.get(), json(R"({"_id": 1})").get(), nullptr, nullptr, &error));
  EXPECT_EQ(error.code, 11000U);
  client::Reply reply;  // The driver keeps a part of it only; a command's is whole.
  ASSERT_FALSE(client::run(client_.get(), "driver", json(R"({"insert": "writes", "documents": [{"_id": 1}]})").get(), reply));
  bson_iter_t top, found;
  ASSERT_TRUE(bson_iter_init(&top, &reply.get()));
  ASSERT_TRUE(bson_iter_find_descendant(&top, "writeErrors.0.keyValue._id", &found)) << reply.text();
  EXPECT_EQ(bson_iter_as_int64(&found), 1);
  ASSERT_TRUE(bson_iter_init(&top, &reply.get()));
  EXPECT_TRUE(bson_iter_find_descendant(&top, "writeErrors.0.keyPattern._id", &found)) << reply.text();
}

TEST_F(Writes, EveryWriteConcernIsTaken) {
  int id = 0;
  for (const char* concern : {R"({"w": 1})", R"({"w": "majority"})", R"({"w": 1, "j": true})",
                              R"({"w": "majority", "j": true, "wtimeout": 1000})"}) {
    const std::string document = R"({"_id": )" + std::to_string(++id) + "}";
    EXPECT_EQ(collection_.insert(document, std::string(R"({"writeConcern": )") + concern + "}"), std::nullopt) << concern;
  }
  EXPECT_EQ(count(client_.get(), "writes"), id);
}

/// Nothing is answered, so the next command's answer must be its own; and the writes are done, in order.
TEST_F(Writes, UnacknowledgedOnesAreDoneAllTheSame) {
  for (int id = 1; id <= 100; ++id)
    EXPECT_EQ(collection_.insert(R"({"_id": )" + std::to_string(id) + "}", R"({"writeConcern": {"w": 0}})"), std::nullopt);
  EXPECT_EQ(collection_.insert(R"({"_id": 1})", R"({"writeConcern": {"w": 0}})"), std::nullopt);
  EXPECT_EQ(count(client_.get(), "writes"), 100);
}

/// Sends one $inc with the fail point set; what it does to the first sending must not show.
void Writes::retried_once(const std::string& data, const std::string& options) {
  EXPECT_EQ(collection_.insert(R"({"_id": 1, "n": 0})"), std::nullopt);
  const client::Client other = Server::shared().connect(options + "&retryWrites=true&appName=retrying");
  const client::Collection writes(mongoc_client_get_collection(other.get(), "driver", "writes"));
  must_run(other.get(), R"({"ping": 1})");
  {
    const FailPoint failing(client_.get(), "failCommand", R"("mode": {"times": 1}, "data": )" + data);
    bson_error_t error;
    EXPECT_TRUE(mongoc_collection_update_one(writes.get(), json(R"({"_id": 1})").get(),
                                             json(R"({"$inc": {"n": 1}})").get(), nullptr, nullptr, &error))
        << error.message;
  }
  EXPECT_EQ(number_of(client_.get(), R"({"find": "writes"})", "cursor.firstBatch.0.n"), 1);
}

TEST_F(Writes, ARetryAfterALostConnectionHasOneEffect) {
  retried_once(R"({"failCommands": ["update"], "closeConnection": true, "appName": "retrying"})", "connectTimeoutMS=5000");
}

/// The first sending is at work when the second comes: whichever is done first, the other changes nothing.
TEST_F(Writes, ARetryThatOvertakesItsFirstSendingHasOneEffect) {
  retried_once(R"({"failCommands": ["update"], "blockConnection": true, "blockTimeMS": 400, "appName": "retrying"})",
               "socketTimeoutMS=150");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_EQ(number_of(client_.get(), R"({"find": "writes"})", "cursor.firstBatch.0.n"), 1);
}

TEST_F(Writes, ARetryAfterAnErrorThatAllowsItHasOneEffect) {
  retried_once(R"({"failCommands": ["update"], "errorCode": 91, "errorLabels": ["RetryableWriteError"], "appName": "retrying"})",
               "connectTimeoutMS=5000");
}

TEST_F(Writes, AnExplicitSessionIsUsedAndEnded) {
  bson_error_t error;
  client::Session session(mongoc_client_start_session(client_.get(), nullptr, &error));
  ASSERT_NE(session, nullptr) << error.message;
  const client::Bson options(bson_new());
  ASSERT_TRUE(mongoc_client_session_append(session.get(), options.get(), &error)) << error.message;
  EXPECT_TRUE(mongoc_collection_insert_one(collection_.get(), json(R"({"_id": 1})").get(), options.get(), nullptr, &error))
      << error.message;
  const client::Cursor cursor(
      mongoc_collection_find_with_opts(collection_.get(), json("{}").get(), options.get(), nullptr));
  const bson_t* document = nullptr;
  EXPECT_TRUE(mongoc_cursor_next(cursor.get(), &document));
}

/// A cursor belongs to the session that opened it.
TEST_F(Writes, ACursorIsNotReadFromAnotherSession) {
  collection_.fill(1, 10);
  bson_error_t error;  // Begun first, or it would be given the very session that the find has handed back.
  const client::Session session(mongoc_client_start_session(client_.get(), nullptr, &error));
  const client::Bson options(bson_new());
  ASSERT_TRUE(mongoc_client_session_append(session.get(), options.get(), &error)) << error.message;
  client::Reply reply;
  ASSERT_FALSE(client::run(client_.get(), "driver", json(R"({"find": "writes", "batchSize": 2})").get(), reply));
  bson_iter_t top, id;
  ASSERT_TRUE(bson_iter_init(&top, &reply.get()) && bson_iter_find_descendant(&top, "cursor.id", &id));
  const client::Bson more(BCON_NEW("getMore", BCON_INT64(bson_iter_as_int64(&id)), "collection", "writes"));
  client::Reply refused;
  EXPECT_FALSE(mongoc_client_command_with_opts(client_.get(), "driver", more.get(), nullptr, options.get(),
                                               refused.into(), &error));
}

}  // namespace
}  // namespace partita::test
