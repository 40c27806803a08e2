// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of an index behind a range of values: keys outside of their bounds are passed over, and nothing else is.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/commands/in_process.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

class LaterFields : public testing::Test {
 protected:
  /// `values` of a, and of each so many of b.
  void fill(int values, int each) {
    Document insert = Document::build([&](Writer& w) {
      w.add("insert", "c");
      bson::ArrayWriter list = w.array("documents");
      for (int i = 0; i < values * each; ++i) {
        Writer one = list.document();
        one.add("_id", i);
        one.add("a", i / each);
        one.add("b", i % each);
        one.add("c", i % 3);
      }
    });
    server_.client().reply(insert.view(), {});
  }
  Document stats(const std::string& command) {
    const Document reply = server_.reply("{explain: " + command + ", verbosity: 'executionStats'}");
    return Document(reply.view()["executionStats"].as_document());
  }
  std::int64_t keys(const std::string& command) { return stats(command)["totalKeysExamined"].exact_int64().value_or(-1); }
  std::string bounds(const std::string& command) {
    const Document reply = server_.reply("{explain: " + command + ", verbosity: 'queryPlanner'}");
    const bson::View plan = reply.view()["queryPlanner"].as_document()["winningPlan"].as_document();
    const bson::View scan = plan.has("inputStage") ? plan["inputStage"].as_document() : plan;
    return bson::to_shell(scan["indexBounds"]);
  }

  InProcess server_;
};

TEST_F(LaterFields, are_told_as_bounds) {
  fill(3, 4);
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: -1, c: 1}, name: 'i'}]}");
  EXPECT_EQ(bounds("{find: 'c', filter: {a: {$gt: 0}, b: 2}}"), R"({ a: [ "(0, inf]" ], b: [ "[2, 2]" ], c: [ "[MinKey, MaxKey]" ] })");
  EXPECT_EQ(bounds("{find: 'c', filter: {a: {$gt: 0}, c: {$in: [1, 2]}}}"),
            R"({ a: [ "(0, inf]" ], b: [ "[MinKey, MaxKey]" ], c: [ "[1, 1]", "[2, 2]" ] })");
  EXPECT_EQ(bounds("{find: 'c', filter: {a: 1, c: 2}}"), R"({ a: [ "[1, 1]" ], b: [ "[MinKey, MaxKey]" ], c: [ "[2, 2]" ] })");
}

TEST_F(LaterFields, are_looked_for_from_value_to_value) {
  fill(20, 100);
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'up'}, {key: {b: 1, a: -1, c: 1}, name: 'down'}]}");
  // Of each value of a: the first key, the one that is looked for, and the one behind it.
  EXPECT_EQ(keys("{find: 'c', filter: {a: {$gt: 4, $lt: 15}, b: 50}, hint: 'up'}"), 30);
  EXPECT_EQ(keys("{find: 'c', filter: {a: {$gt: 4, $lt: 15}, b: 50}, sort: {a: -1}, hint: 'up'}"), 30);
  EXPECT_EQ(keys("{find: 'c', filter: {a: {$gt: 4, $lt: 15}, b: {$in: [0, 99]}}, hint: 'up'}"), 30);
  EXPECT_EQ(keys("{find: 'c', filter: {b: {$gt: 4, $lt: 15}, a: 5}, hint: 'down'}"), 30);
  EXPECT_EQ(keys("{find: 'c', filter: {a: {$gt: 4, $lt: 15}, b: {$gte: 0}}, hint: 'up'}"), 1000);
}

TEST_F(LaterFields, are_counted_by_keys) {
  fill(20, 100);
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'i'}]}");
  EXPECT_EQ(server_.run("{count: 'c', query: {a: {$gt: 4}, b: {$in: [3, 7, 200]}}}"), "{n: 30, ok: 1.0}");
  EXPECT_EQ(bson::to_shell(stats("{count: 'c', query: {a: {$gt: 4}, b: {$in: [3, 7, 200]}}}")["totalDocsExamined"]), "0");
}

TEST_F(LaterFields, pinned_to_a_point_leave_the_order) {
  fill(6, 6);
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1, c: 1}, name: 'i'}]}");
  const Document reply = server_.reply("{explain: {find: 'c', filter: {a: {$gt: 2}, b: 3}, sort: {a: -1, c: -1}}, verbosity: 'queryPlanner'}");
  EXPECT_EQ(bson::to_shell(reply.view().at_path("queryPlanner.winningPlan.stage")), "\"FETCH\"");
}

TEST_F(LaterFields, give_way_to_min_and_max) {
  fill(6, 6);
  server_.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'i'}]}");
  EXPECT_EQ(server_.run("{find: 'c', filter: {a: {$gt: 1}, b: 3}, min: {a: 3, b: 0}, hint: 'i', projection: {_id: 1}}"),
            "{cursor: {firstBatch: [{_id: 21}, {_id: 27}, {_id: 33}], id: 0, ns: \"test.c\"}, ok: 1.0}");
}

/// Random documents and indexes: with the index as without.
class RandomLaterFields : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr const char* kNames[] = {"a", "b", "c"};

  void add_value(Writer& out, const char* name) {
    if (arrays_ && name == kNames[1] && random_.one_in(4)) {
      bson::ArrayWriter list = out.array(name);
      for (std::uint64_t left = random_.below(4); left > 0; --left) list.push(static_cast<std::int32_t>(random_.below(12)));
    } else if (random_.one_in(12)) {
      out.null(name);
    } else if (random_.one_in(6)) {
      out.add(name, std::string(random_.one_in(2) ? "x" : "X") + std::to_string(random_.below(4)));
    } else {
      out.add(name, static_cast<std::int32_t>(random_.below(random_.one_in(3) ? 3 : 12)));
    }
  }
  void add_operand(Writer& out, const char* name) {
    if (random_.one_in(6)) return out.add(name, std::string(random_.one_in(2) ? "x" : "X") + std::to_string(random_.below(4)));
    if (random_.one_in(20)) return out.null(name);
    out.add(name, static_cast<std::int32_t>(random_.below(12)));
  }
  void add_condition(Writer& out, const char* name) {
    const std::uint64_t kind = random_.below(6);
    if (kind == 0) return add_operand(out, name);
    Writer condition = out.document(name);
    if (kind == 1) {
      const Document list = Document::build([&](Writer& w) { for (const char* at : {"0", "1", "2"}) add_operand(w, at); });
      condition.array("$in", list.view());
    } else if (kind == 2) {
      add_operand(condition, "$ne");
    } else {
      if (kind != 3) add_operand(condition, random_.one_in(2) ? "$gt" : "$gte");
      if (kind != 4) add_operand(condition, random_.one_in(2) ? "$lt" : "$lte");
    }
  }
  Document filter() {
    return Document::build([&](Writer& w) {
      for (const char* name : kNames) if (!random_.one_in(4)) add_condition(w, name);
      if (!random_.one_in(5)) return;
      bson::ArrayWriter either = w.array("$or");
      for (int i = 0; i < 2; ++i) {
        Writer clause = either.document();
        for (const char* name : kNames) if (!random_.one_in(3)) add_condition(clause, name);
      }
    });
  }
  std::string index_key() {
    std::string key;
    for (int i = 0; i < 3; ++i) key += (key.empty() ? "" : ", ") + std::string(kNames[(first_ + i) % 3]) + (random_.one_in(3) ? ": -1" : ": 1");
    return "{" + key + "}";
  }
  void fill() {
    const Document insert = Document::build([&](Writer& w) {
      w.add("insert", "c");
      bson::ArrayWriter list = w.array("documents");
      for (int i = 0; i < 400; ++i) {
        Writer one = list.document();
        one.add("_id", i);
        for (const char* name : kNames) if (!random_.one_in(10)) add_value(one, name);
      }
    });
    ASSERT_EQ(server_.client().reply(insert.view(), {})["n"].exact_int64(), 400);
  }
  std::vector<std::string> rows(Document reply, std::size_t* twice) {
    std::vector<std::string> all;
    std::set<std::string> ids;
    for (std::string_view batch = "firstBatch";; batch = "nextBatch") {
      const bson::View cursor = reply.view()["cursor"].as_document();
      if (reply["ok"].to_double() != 1) return {bson::to_json(reply.view())};
      for (const bson::Field& row : cursor[batch].as_document()) {
        all.push_back(bson::to_json(row.value));
        if (!ids.insert(bson::to_json(row.value.as_document()["_id"])).second) ++*twice;
      }
      const auto id = cursor["id"].exact_int64().value_or(0);
      if (id == 0) return all;
      reply = server_.reply("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: 'c', batchSize: 7}");
    }
  }
  Document find(const Document& filter, std::string_view sort, std::string_view hint) {
    const Document sorted = bson::parse_json(sort).value();
    return Document::build([&](Writer& w) {
      w.add("find", "c");
      w.add("filter", filter.view());
      w.add("sort", sorted.view());
      w.add("batchSize", 5);
      if (hint == "$natural") Writer(w.document("hint")).add("$natural", 1);
      else w.add("hint", hint);
      if (collated_) {
        Writer collation = w.document("collation");
        collation.add("locale", "en");
        collation.add("strength", 2);
      }
    });
  }
  void expect_same() {
    const Document asked = filter();
    const std::string first = kNames[first_];
    const std::string direction = random_.one_in(2) ? "1" : "-1";
    const std::string sort = random_.one_in(2) ? "{_id: 1}" : "{" + first + ": " + direction + "}";
    std::size_t twice = 0;
    auto wanted = rows(server_.client().reply(find(asked, "{_id: 1}", "$natural").view(), {}), &twice);
    auto found = rows(server_.client().reply(find(asked, sort, "i").view(), {}), &twice);
    std::ranges::sort(wanted);
    std::ranges::sort(found);
    EXPECT_EQ(found, wanted) << bson::to_json(asked.view()) << " sorted by " << sort;
    EXPECT_EQ(twice, 0);
    const Document count = Document::build([&](Writer& w) {
      w.add("count", "c");
      w.add("query", asked.view());
      w.add("hint", "i");
      if (collated_) {
        Writer collation = w.document("collation");
        collation.add("locale", "en");
        collation.add("strength", 2);
      }
    });
    EXPECT_EQ(server_.client().reply(count.view(), {})["n"].exact_int64().value_or(-1), static_cast<std::int64_t>(wanted.size())) << bson::to_json(asked.view());
    in_order(asked, sort);
  }
  /// The values of the sort's field come in order where the index brings it.
  void in_order(const Document& asked, const std::string& sort) {
    if (arrays_ || collated_ || sort == "{_id: 1}") return;
    const auto values = [&](std::string_view hint) {
      std::string all;
      const Document reply = server_.client().reply(find(asked, sort, hint).view(), {});
      for (const bson::Field& row : reply.view().at_path("cursor.firstBatch").as_document()) all += bson::to_json(row.value.as_document()[kNames[first_]]) + " ";
      return all;
    };
    EXPECT_EQ(values("i"), values("$natural")) << bson::to_json(asked.view()) << " sorted by " << sort;
  }

  InProcess server_;
  Random random_{GetParam()};
  int first_ = 0;
  bool arrays_ = false;
  bool collated_ = false;
};

TEST_P(RandomLaterFields, find_the_same_as_without_an_index) {
  for (int round = 0; round < 6; ++round) {
    arrays_ = random_.one_in(3);
    collated_ = random_.one_in(4);
    first_ = static_cast<int>(random_.below(3));
    server_.run("{drop: 'c'}");
    if (random_.one_in(3)) server_.run("{shardCollection: 'test.c', key: {_id: 'hashed'}}");
    fill();
    const std::string options = random_.one_in(3) ? ", collation: {locale: 'en', strength: 2}" : "";
    server_.run("{createIndexes: 'c', indexes: [{key: " + index_key() + ", name: 'i'" + options + "}]}");
    for (int i = 0; i < 60; ++i) expect_same();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLaterFields, testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace partita::test
