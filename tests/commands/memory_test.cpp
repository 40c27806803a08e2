// SPDX-License-Identifier: GPL-3.0-or-later
// What a client can make the server keep in memory, and how much it can be made to answer at once.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "wire/bson/validate.h"

namespace partita::commands {
namespace {

constexpr std::int64_t kExceededMemoryLimit = 146;

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
  EXPECT_EQ(code_of("{aggregate: 'c', cursor: {}, pipeline: [" + stages + "{$count: 'n'}]}"), kExceededMemoryLimit);
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
  EXPECT_EQ(server_.server().cursors.memory(), 0u);
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

}  // namespace
}  // namespace partita::commands
