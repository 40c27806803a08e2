// SPDX-License-Identifier: GPL-3.0-or-later
// What a client can make the server keep in memory, and how much it can be made to answer at once.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "wire/bson/validate.h"
#include "wire/message/header.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kExceededMemoryLimit = 146;
constexpr std::int64_t kTooLarge = 10334;  // One document.

std::string text_of(std::size_t length) { return "'" + std::string(length, 'x') + "'"; }

class Memory : public ::testing::Test {
 protected:
  std::optional<std::int64_t> code_of(const std::string& command) { return server_.reply(command)["code"].exact_int64(); }
  /// Sets the limit of what open cursors keep; the old one comes back at the end.
  void limit_cursors(int megabytes) {
    server_.reply("{setParameter: 1, partitaMaxCursorMemoryMB: " + std::to_string(megabytes) + "}");
  }
  void TearDown() override { limit_cursors(1024); }

  test::InProcess server_;
};

TEST_F(Memory, OfManyStagesIsLimitedTogether) {
  ASSERT_EQ(server_.run("{insert: 'c', documents: [{_id: 1, s: " + text_of(600'000) + "}]}"), "{n: 1, ok: 1.0}");
  const auto stages = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i) list += "{$unwind: '$s'}, ";
    return "{aggregate: 'c', cursor: {}, pipeline: [" + list + "{$count: 'n'}]}";
  };
  EXPECT_EQ(code_of(stages(100)), std::nullopt);
  EXPECT_EQ(code_of(stages(990)), kExceededMemoryLimit);
}

TEST_F(Memory, GrowsNoFurtherWithStagesThatDoubleADocument) {
  ASSERT_EQ(server_.run("{insert: 'c', documents: [{_id: 1, s: " + text_of(1'000'000) + "}]}"), "{n: 1, ok: 1.0}");
  std::string stages;
  for (int i = 0; i < 20; ++i) stages += "{$project: {s: ['$s', '$s']}}, ";
  EXPECT_EQ(code_of("{aggregate: 'c', cursor: {}, pipeline: [" + stages + "{$count: 'n'}]}"), kTooLarge);
}

TEST_F(Memory, OfOpenCursorsIsLimitedTogether) {
  const std::string large = text_of(400'000);
  ASSERT_EQ(server_.run("{insert: 'c', documents: [{s: " + large + "}, {s: " + large + "}, {s: " + large + "}]}"),
            "{n: 3, ok: 1.0}");
  const std::string sorted = "{find: 'c', sort: {s: 1}, projection: {_id: 1}, batchSize: 1}";
  const bson::Document first = server_.reply(sorted);
  const std::size_t kept = server_.server().cursors.memory();
  EXPECT_GT(kept, 1'200'000u);
  limit_cursors(static_cast<int>(kept >> 20) + 1);  // Room for one of them.
  EXPECT_EQ(code_of(sorted), kExceededMemoryLimit);
  EXPECT_EQ(code_of("{find: 'c', projection: {_id: 1}, batchSize: 1}"), std::nullopt) << "what keeps nothing is let in";
  server_.reply("{killCursors: 'c', cursors: [NumberLong('" + std::to_string(first.view().at_path("cursor.id").as_int64()) + "')]}");
  EXPECT_LT(server_.server().cursors.memory(), 1000u) << "the command of the one that is left";
  EXPECT_EQ(code_of(sorted), std::nullopt);
}

/// The texts of many errors are left out before the reply becomes one that cannot be sent.
TEST_F(Memory, OfWriteErrorsStaysBelowADocument) {
  constexpr int kDocuments = 12;
  std::string documents;
  for (int i = 0; i < kDocuments; ++i) documents += "{_id: " + text_of(1'000'000) + "}, ";
  documents.resize(documents.size() - 2);
  const bson::Document reply = server_.reply("{insert: 'c', ordered: false, documents: [" + documents + "]}");
  EXPECT_EQ(reply["n"].exact_int64(), 1);
  EXPECT_LT(reply.view().size(), bson::kMaxDocumentSize);
  const bson::View errors = reply["writeErrors"].as_document();
  EXPECT_EQ(errors.count(), kDocuments - 1u);
  for (const bson::Field& one : errors) EXPECT_EQ(one.value.as_document()["code"].exact_int64(), 11000);
  EXPECT_FALSE(errors["0"].as_document()["errmsg"].as_string().empty());
  EXPECT_TRUE(errors["10"].as_document()["errmsg"].as_string().empty());
}

constexpr std::size_t kLargeId = 1'000'000;

/// An upsert whose _id has a million letters, and then more statements that were the same one, by their number.
std::string one_large_upsert_sent_often(std::string_view large, std::string_view small, int times) {
  std::string list(large);
  std::string numbers = "7";
  for (int i = 1; i < times; ++i) {
    list += ", " + std::string(small);
    numbers += ", 7";
  }
  return "[" + list + "], ordered: false, stmtIds: [" + numbers +
         "], lsid: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAQ==', subType: '04'}}}, txnNumber: {$numberLong: '1'}";
}

/// An upsert whose _id the reply cannot tell is refused before it is done: what is done is told.
TEST_F(Memory, OfUpsertedIdsStaysBelowADocument) {
  std::string updates;
  for (int i = 10; i < 30; ++i) {
    updates += "{q: {_id: '" + std::to_string(i) + std::string(kLargeId, 'x') + "'}, u: {$set: {k: 1}}, upsert: true}, ";
  }
  const bson::Document reply = server_.reply("{update: 'c', ordered: false, updates: [" + updates + "{q: {k: 1}, u: {k: 2}}]}");
  EXPECT_LT(reply.view().size(), bson::kMaxInternalSize);
  ASSERT_EQ(reply["upserted"].as_document().count(), 16u);
  const bson::View errors = reply["writeErrors"].as_document();
  EXPECT_EQ(errors.count(), 4u);
  for (const bson::Field& one : errors) EXPECT_EQ(one.value.as_document()["code"].exact_int64(), kTooLarge);
  EXPECT_EQ(reply["nModified"].exact_int64(), 1) << "what needs no room goes on";
  EXPECT_EQ(server_.reply("{count: 'c'}")["n"].exact_int64(), 16);
}

TEST_F(Memory, OfOneUpsertedIdIsAlwaysThere) {
  const std::string id = text_of(bson::kMaxDocumentSize - 64);
  const bson::Document reply = server_.reply("{update: 'c', updates: [{q: {_id: " + id + "}, u: {$set: {a: 1}}, upsert: true}]}");
  EXPECT_EQ(reply["n"].exact_int64(), 1);
  EXPECT_TRUE(reply["upserted"].is_array());
}

TEST_F(Memory, OfIdsThatAnEarlierSendingUpsertedStaysBelowADocument) {
  const bson::Document reply = server_.reply(
      "{update: 'c', updates: " + one_large_upsert_sent_often("{q: {_id: " + text_of(kLargeId) + "}, u: {$set: {a: 1}}, upsert: true}",
                                                              "{q: {}, u: {a: 1}, upsert: true}", 20) + "}");
  EXPECT_LT(reply.view().size(), bson::kMaxInternalSize);
  EXPECT_EQ(reply["n"].exact_int64(), 16);
  ASSERT_TRUE(reply["writeErrors"].is_array());
  EXPECT_EQ(reply["writeErrors"].as_document().count(), 4u);
}

/// The results of a bulkWrite are read in batches, and kept until then.
TEST_F(Memory, OfBulkWritesResultsIsLimited) {
  const bson::Document reply = server_.reply(
      "{bulkWrite: 1, nsInfo: [{ns: 'test.c'}], ops: " +
      one_large_upsert_sent_often("{update: 0, filter: {_id: " + text_of(kLargeId) + "}, updateMods: {$set: {a: 1}}, upsert: true}",
                                  "{update: 0, filter: {}, updateMods: {a: 1}, upsert: true}", 60) + "}");
  EXPECT_EQ(reply["nUpserted"].exact_int64(), 47);
  EXPECT_EQ(reply["nErrors"].exact_int64(), 13);
  EXPECT_LT(server_.server().cursors.memory(), wire::kMaxMessageSize);
}

}  // namespace
}  // namespace partita::commands
