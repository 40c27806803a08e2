// SPDX-License-Identifier: GPL-3.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"

namespace partita::commands {
namespace {

using ::testing::HasSubstr;

class BulkWrite : public ::testing::Test {
 protected:
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }

  /// {bulkWrite: 1, ops: [...], nsInfo: test.a and test.b, more}
  bson::Document bulk(std::string_view ops, std::string_view more = "") {
    return reply("{bulkWrite: 1, ops: [" + std::string(ops) + "], nsInfo: [{ns: 'test.a'}, {ns: 'test.b'}]" +
                 (more.empty() ? "" : ", " + std::string(more)) + "}");
  }
  std::optional<std::int64_t> code(std::string_view ops, std::string_view more = "") {
    return bulk(ops, more)["code"].exact_int64();
  }
  /// "errors inserted matched modified upserted deleted"
  static std::string counts(bson::View answer) {
    std::string text;
    for (const char* name : {"nErrors", "nInserted", "nMatched", "nModified", "nUpserted", "nDeleted"}) {
      text += (text.empty() ? "" : " ") + std::to_string(answer[name].exact_int64().value_or(-1));
    }
    return text;
  }
  static std::string results(bson::View answer) {
    return test::readable(answer.at_path("cursor.firstBatch").as_document());
  }
  std::string documents(std::string_view collection) {
    return results_of_find(reply("{find: '" + std::string(collection) + "', sort: {_id: 1}}").view());
  }

  test::InProcess server_;

 private:
  static std::string results_of_find(bson::View answer) { return results(answer); }
};

TEST_F(BulkWrite, WritesToSeveralCollectionsInOrder) {
  const bson::Document answer = bulk(
      "{insert: 0, document: {_id: 1, n: 1}}, {insert: 0, document: {_id: 2, n: 1}}, {insert: 1, document: {_id: 1}}, "
      "{update: 0, filter: {n: 1}, updateMods: {$inc: {n: 1}}, multi: true}, "
      "{update: 1, filter: {_id: 9}, updateMods: {n: 9}, upsert: true}, {delete: 0, filter: {_id: 1}}");
  EXPECT_EQ(counts(answer.view()), "0 3 2 2 1 1");
  EXPECT_EQ(results(answer.view()),
            R"({"0": {ok: 1.0, idx: 0, n: 1}, "1": {ok: 1.0, idx: 1, n: 1}, "2": {ok: 1.0, idx: 2, n: 1}, )"
            R"("3": {ok: 1.0, idx: 3, n: 2, nModified: 2}, )"
            R"("4": {ok: 1.0, idx: 4, n: 1, nModified: 0, upserted: {_id: 9}}, "5": {ok: 1.0, idx: 5, n: 1}})");
  EXPECT_EQ(answer.view().at_path("cursor.ns").as_string(), "admin.$cmd.bulkWrite");
  EXPECT_EQ(documents("a"), R"({"0": {_id: 2, n: 2}})");
  EXPECT_EQ(documents("b"), R"({"0": {_id: 1}, "1": {_id: 9, n: 9}})");
}

TEST_F(BulkWrite, OrderedStopsAtTheFirstError) {
  const bson::Document answer = bulk(
      "{insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 2}}, "
      "{delete: 0, filter: {}, multi: true}");
  EXPECT_EQ(counts(answer.view()), "1 1 0 0 0 0");
  const bson::View batch = answer.view().at_path("cursor.firstBatch").as_document();
  ASSERT_EQ(batch.count(), 2u);
  const bson::View failed = batch["1"].as_document();
  EXPECT_EQ(failed["ok"].as_double(), 0.0);
  EXPECT_EQ(failed["idx"].as_int32(), 1);
  EXPECT_EQ(failed["code"].as_int32(), 11000);
  EXPECT_EQ(failed["n"].as_int32(), 0);
  EXPECT_THAT(failed["errmsg"].as_string(), HasSubstr("E11000 duplicate key error collection: test.a index: _id_"));
  EXPECT_EQ(test::readable(failed["keyValue"].as_document()), "{_id: 1}");
  EXPECT_EQ(documents("a"), R"({"0": {_id: 1}})");
}

TEST_F(BulkWrite, UnorderedGoesOnBehindErrors) {
  const bson::Document answer = bulk(
      "{insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 2}}, "
      "{update: 0, filter: {_id: 2}, updateMods: {$bogus: {a: 1}}}, {update: 0, filter: {_id: 2}, updateMods: {$set: {a: 1}}}",
      "ordered: false, errorsOnly: true");
  EXPECT_EQ(counts(answer.view()), "2 2 1 1 0 0");
  const bson::View batch = answer.view().at_path("cursor.firstBatch").as_document();
  ASSERT_EQ(batch.count(), 2u) << "only errors";
  EXPECT_EQ(batch["0"].as_document()["idx"].as_int32(), 1);
  EXPECT_EQ(batch["1"].as_document()["idx"].as_int32(), 3);
  EXPECT_EQ(batch["1"].as_document()["nModified"].as_int32(), 0);
  EXPECT_EQ(documents("a"), R"({"0": {_id: 1}, "1": {_id: 2, a: 1}})");
}

TEST_F(BulkWrite, ResultsComeInBatches) {
  const bson::Document answer = bulk(
      "{insert: 0, document: {_id: 1}}, {insert: 0, document: {_id: 2}}, {insert: 0, document: {_id: 3}}",
      "cursor: {batchSize: 2}");
  EXPECT_EQ(answer.view().at_path("cursor.firstBatch").as_document().count(), 2u);
  const std::int64_t id = answer.view().at_path("cursor.id").as_int64();
  ASSERT_NE(id, 0);
  EXPECT_EQ(run("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: '$cmd.bulkWrite', $db: 'admin'}"),
            R"({cursor: {nextBatch: [{ok: 1.0, idx: 2, n: 1}], id: 0, ns: "admin.$cmd.bulkWrite"}, ok: 1.0})");
}

TEST_F(BulkWrite, AStatementSentAgainIsNotDoneAgain) {
  const std::string session =
      "lsid: {id: {$binary: {base64: 'AAAAAAAAAAAAAAAAAAAAAQ==', subType: '04'}}}, txnNumber: {$numberLong: '1'}";
  const std::string ops =
      "{insert: 0, document: {_id: 1, n: 0}}, {insert: 0, document: {_id: 2, n: 0}}, "
      "{update: 0, filter: {_id: 1}, updateMods: {$inc: {n: 1}}}, {delete: 0, filter: {_id: 2}}";
  const bson::Document first = bulk(ops, session);
  EXPECT_EQ(counts(first.view()), "0 2 1 1 0 1");
  const bson::Document second = bulk(ops, session);
  EXPECT_EQ(counts(second.view()), "0 2 1 1 0 1") << test::readable(second.view());
  EXPECT_EQ(test::readable(second["retriedStmtIds"].as_document()), "{\"0\": 0, \"1\": 1, \"2\": 2, \"3\": 3}");
  EXPECT_EQ(documents("a"), R"({"0": {_id: 1, n: 1}})");
  EXPECT_EQ(counts(bulk("{update: 0, filter: {_id: 1}, updateMods: {$inc: {n: 1}}}", session + ", stmtId: 7").view()),
            "0 0 1 1 0 0");
  EXPECT_EQ(counts(bulk("{update: 0, filter: {_id: 1}, updateMods: {$inc: {n: 1}}}", session + ", stmtIds: [7]").view()),
            "0 0 1 1 0 0");
  EXPECT_EQ(documents("a"), R"({"0": {_id: 1, n: 2}})") << "statement 7 was done once";
}

TEST_F(BulkWrite, WhatIsWrittenWronglyIsRefusedAsAWhole) {
  constexpr std::string_view kGood = "{insert: 0, document: {_id: 1}}, ";
  const auto refusal = [&](std::string_view bad) { return code(std::string(kGood) + std::string(bad)); };
  EXPECT_EQ(refusal("{insert: 2, document: {}}"), 2);
  EXPECT_EQ(refusal("{insert: -1, document: {}}"), 2);
  EXPECT_EQ(refusal("{insert: 'test.a', document: {}}"), 14);
  EXPECT_EQ(refusal("{insert: 0}"), 40414);
  EXPECT_EQ(refusal("{insert: 0, document: 1}"), 14);
  EXPECT_EQ(refusal("{insert: 0, document: {}, x: 1}"), 40415);
  EXPECT_EQ(refusal("{update: 0, updateMods: {}}"), 40414);
  EXPECT_EQ(refusal("{update: 0, filter: {}}"), 40414);
  EXPECT_EQ(refusal("{update: 0, filter: 1, updateMods: {}}"), 14);
  EXPECT_EQ(refusal("{update: 0, filter: {}, updateMods: {}, arrayFilters: 1}"), 14);
  EXPECT_EQ(refusal("{update: 0, filter: {}, updateMods: {}, arrayFilters: [1]}"), 14);
  EXPECT_EQ(refusal("{update: 0, filter: {}, updateMods: [{$foo: 1}]}"), 40324);
  EXPECT_EQ(refusal("{update: 0, filter: {}, updateMods: {}, constants: 1}"), 14);
  EXPECT_EQ(refusal("{update: 0, filter: {}, updateMods: {}, collation: 'de'}"), 14);
  EXPECT_EQ(refusal("{delete: 0}"), 40414);
  EXPECT_EQ(refusal("{delete: 0, filter: {}, limit: 1}"), 40415);
  EXPECT_EQ(refusal("{replace: 0, filter: {}}"), 9);
  EXPECT_EQ(refusal("{}"), 9);
  EXPECT_EQ(code(""), 16);
  EXPECT_EQ(code(kGood.substr(0, kGood.size() - 2), "stmtId: 1, stmtIds: [1]"), 72);
  EXPECT_EQ(code(kGood.substr(0, kGood.size() - 2), "stmtIds: [1, 2]"), 16);
  EXPECT_EQ(documents("a"), "{}") << "nothing of it was done";
}

TEST_F(BulkWrite, UpdatesTakeArrayFiltersPipelinesAndAnOrder) {
  reply("{bulkWrite: 1, ops: [{insert: 0, document: {_id: 1, a: [1, 5]}}, {insert: 0, document: {_id: 2, a: [7]}}], nsInfo: [{ns: 'test.a'}]}");
  const bson::Document done = reply(
      "{bulkWrite: 1, ops: ["
      "{update: 0, filter: {}, updateMods: {$inc: {'a.$[big]': 100}}, arrayFilters: [{big: {$gt: 2}}], multi: true},"
      "{update: 0, filter: {_id: {$gt: 0}}, updateMods: {$set: {last: true}}, sort: {_id: -1}},"
      "{update: 0, filter: {_id: 1}, updateMods: [{$set: {n: '$$c'}}], constants: {c: '$a'}}], nsInfo: [{ns: 'test.a'}]}");
  EXPECT_EQ(done["nModified"].exact_int64(), 4);
  EXPECT_EQ(documents("a"), "{\"0\": {_id: 1, a: [1, 105], n: \"$a\"}, \"1\": {_id: 2, a: [107], last: true}}");
}

TEST_F(BulkWrite, NamespacesAreChecked) {
  const auto refusal = [&](std::string_view ns_info) {
    return reply("{bulkWrite: 1, ops: [{insert: 0, document: {}}], nsInfo: [" + std::string(ns_info) + "]}")["code"].exact_int64();
  };
  EXPECT_EQ(refusal("{ns: 'nodot'}"), 73);
  EXPECT_EQ(refusal("{ns: 'test.system.x'}"), 73);
  EXPECT_EQ(refusal("{ns: 1}"), 14);
  EXPECT_EQ(refusal("{}"), 40414);
  EXPECT_EQ(refusal("{ns: 'test.a', x: 1}"), 40415);
  EXPECT_EQ(refusal(""), 2) << "no namespace for the operation";
  EXPECT_EQ(reply("{bulkWrite: 1, ops: [], nsInfo: [], $db: 'test'}")["code"].exact_int64(), 13);
}

}  // namespace
}  // namespace partita::commands
