// SPDX-License-Identifier: GPL-3.0-or-later
// What is answered from the keys of an index, without a look at documents, and what explain says is left of the filter.
#include <gtest/gtest.h>

#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

class KeysAlone : public testing::Test {
 protected:
  void SetUp() override {
    server_.run("{insert: 'c', documents: [{_id: 1, a: 1, b: 5, c: 1}, {_id: 2, a: 2, b: 6, c: 2}, {_id: 3, a: 3, b: 5, c: 3}, {_id: 4, b: 7}]}");
    server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'i'}]}");
  }
  void add_array() { server_.run("{insert: 'c', documents: [{_id: 5, a: [2, 3, 9], b: 5}]}"); }
  /// keys, documents
  std::string examined(const std::string& command) {
    const bson::Document reply = server_.reply("{explain: " + command + ", verbosity: 'executionStats'}");
    const bson::View stats = reply.view()["executionStats"].as_document();
    return bson::to_shell(stats["totalKeysExamined"]) + ", " + bson::to_shell(stats["totalDocsExamined"]);
  }
  /// Of each stage from the outermost in.
  std::string filters(const std::string& command) {
    const bson::Document reply = server_.reply("{explain: " + command + ", verbosity: 'queryPlanner'}");
    std::string all;
    for (bson::Value stage = reply.view()["queryPlanner"].as_document()["winningPlan"]; stage.is_document();
         stage = stage.as_document()["inputStage"]) {
      const bson::View one = stage.as_document();
      all.append(all.empty() ? "" : "; ").append(one["stage"].as_string());
      if (one.has("filter")) all.append(" ").append(bson::to_json(one["filter"]));
    }
    return all;
  }

  InProcess server_;
};

TEST_F(KeysAlone, AreReturnedWithoutDocuments) {
  const std::string keys = "{find: 'c', filter: {a: {$gt: 1}, b: {$gt: 0}}, returnKey: true}";
  EXPECT_EQ(server_.run(keys), "{cursor: {firstBatch: [{a: 2, b: 6}, {a: 3, b: 5}], id: 0, ns: \"test.c\"}, ok: 1.0}");
  EXPECT_EQ(examined(keys), "2, 0");
  EXPECT_EQ(examined("{find: 'c', filter: {a: {$gt: 1}}, sort: {b: 1}, returnKey: true}"), "2, 0");
  EXPECT_EQ(examined("{find: 'c', filter: {a: {$gt: 1}, c: 3}, returnKey: true}"), "2, 2");
}

TEST_F(KeysAlone, AreReturnedByDocumentsWhereTheseMayHaveSeveral) {
  add_array();
  const std::string keys = "{find: 'c', filter: {a: {$gt: 2}}, returnKey: true}";
  EXPECT_EQ(server_.run(keys), "{cursor: {firstBatch: [{a: 3, b: 5}, {a: 3, b: 5}], id: 0, ns: \"test.c\"}, ok: 1.0}");
  EXPECT_EQ(examined(keys), "3, 2");
}

TEST_F(KeysAlone, AreReturnedOfPartialIndexes) {
  server_.run("{createIndexes: 'c', indexes: [{key: {b: 1}, name: 'p', partialFilterExpression: {c: {$gt: 1}}}]}");
  EXPECT_EQ(server_.run("{find: 'c', filter: {b: 5, c: {$gt: 1}}, hint: 'p', returnKey: true}"),
            "{cursor: {firstBatch: [{b: 5}], id: 0, ns: \"test.c\"}, ok: 1.0}");
}

TEST_F(KeysAlone, AreCountedOfArraysToo) {
  add_array();
  EXPECT_EQ(server_.run("{count: 'c', query: {a: {$gt: 1}}}"), "{n: 3, ok: 1.0}");
  EXPECT_EQ(examined("{count: 'c', query: {a: {$gt: 1}}}"), "5, 0");
  EXPECT_EQ(server_.run("{count: 'c', query: {a: {$in: [2, 3]}, b: 5}}"), "{n: 2, ok: 1.0}");
  EXPECT_EQ(examined("{count: 'c', query: {a: {$in: [2, 3]}, b: 5}}"), "3, 0");
  // One element above and another one below: keys do not tell.
  EXPECT_EQ(server_.run("{count: 'c', query: {a: {$gt: 3, $lt: 9}}}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(server_.run("{count: 'c', query: {a: {$lt: 3}}}"), "{n: 3, ok: 1.0}");
  EXPECT_EQ(server_.run("{distinct: 'c', key: 'b', query: {a: 3}}"), "{values: [5], ok: 1.0}");
  EXPECT_EQ(examined("{distinct: 'c', key: 'b', query: {a: 3}}"), "2, 0");
}

TEST_F(KeysAlone, SettleConditionsThatExplainDoesNotTellAgain) {
  EXPECT_EQ(filters("{find: 'c', filter: {a: {$gt: 1, $lt: 9}, b: 5}}"), "FETCH; IXSCAN");
  EXPECT_EQ(filters("{find: 'c', filter: {a: {$lt: 9}, c: 5}}"), R"(FETCH {"c":{"$eq":5}}; IXSCAN)");
  EXPECT_EQ(filters("{find: 'c', filter: {$and: [{a: 1}, {c: 5}, {$or: [{c: 1}, {b: 1}]}]}}"),
            R"(FETCH {"$and":[{"c":{"$eq":5}},{"$or":[{"c":1},{"b":1}]}]}; IXSCAN)");
  EXPECT_EQ(filters("{find: 'c', filter: {a: 1, b: /x/}}"), R"(FETCH; IXSCAN {"b":{"$regex":"x"}})");
  EXPECT_EQ(filters("{find: 'c', filter: {a: null}}"), R"(FETCH; IXSCAN {"a":{"$eq":null}})");
  add_array();
  EXPECT_EQ(filters("{find: 'c', filter: {a: {$gt: 1, $lt: 9}, b: 5}}"), R"(FETCH {"a":{"$lt":9}}; IXSCAN)");
  EXPECT_EQ(filters("{find: 'c', filter: {a: 1, b: 5}}"), "FETCH; IXSCAN");
}

TEST_F(KeysAlone, StagesTellThatNobodyHadToWait) {
  const bson::Document reply = server_.reply("{explain: {find: 'c', filter: {a: 1}}, verbosity: 'executionStats'}");
  const bson::View stage = reply.view().at_path("executionStats.executionStages").as_document();
  for (const char* name : {"works", "advanced", "needTime", "needYield", "saveState", "restoreState", "isEOF"}) EXPECT_TRUE(stage.has(name)) << name;
}

}  // namespace
}  // namespace partita::test
