// SPDX-License-Identifier: GPL-3.0-or-later
// Plans that lead through several walks at once: the same rows in the same order however a collection is divided, whatever
// the number of threads and the size of batches.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"
#include "tests/support/random.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;
using bson::Writer;

constexpr std::int32_t kDocuments = 600;

class PlannedReads : public testing::TestWithParam<std::uint64_t> {
 protected:
  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << readable(reply.view());
    return reply;
  }
  /// The same documents in every collection, with the same indexes: whole, or by a hash in so many partitions.
  void fill(const std::string& name, int partitions) {
    if (partitions > 0) {
      send("{shardCollection: 'test." + name + "', key: {_id: 'hashed'}, numInitialChunks: " + std::to_string(partitions) + "}");
    }
    Random random(GetParam());
    const Document insert = Document::build([&](Writer& w) {
      w.add("insert", name);
      bson::ArrayWriter documents = w.array("documents");
      for (std::int32_t id = 0; id < kDocuments; ++id) {
        Writer one = documents.document();
        one.add("_id", id);
        one.add("a", static_cast<std::int32_t>(random.below(12)));
        one.add("b", static_cast<std::int32_t>(random.below(9)));
        if (random.one_in(2)) one.add("c", static_cast<std::int32_t>(random.below(40)));
        if (random.one_in(3)) one.null("d");
        one.add("s", (random.one_in(2) ? "x" : "y") + std::to_string(random.below(50)));
      }
    });
    EXPECT_EQ(server_.client().reply(insert.view(), {})["n"].exact_int64(), kDocuments);
    send("{createIndexes: '" + name + "', indexes: [{key: {a: 1, c: 1}, name: 'ac'}, {key: {b: 1, c: -1}, name: 'bc'}, "
         "{key: {c: 1, b: 1, d: 1}, name: 'cbd'}, {key: {s: 1, a: 1}, name: 'sa'}]}");
  }
  /// All rows of a find, batch by batch.
  std::string rows(const std::string& name, const std::string& rest, int batch) {
    Document reply = send("{find: '" + name + "', batchSize: " + std::to_string(batch) + ", " + rest + "}");
    std::string all;
    const auto take = [&](std::string_view field) {
      for (const bson::Field& row : at(reply.view(), "cursor." + std::string(field)).as_document()) all += bson::to_json(row.value) + "\n";
    };
    take("firstBatch");
    while (true) {
      const auto id = at(reply.view(), "cursor.id").exact_int64().value_or(0);
      if (id == 0) return all;
      reply = send("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: '" + name + "', batchSize: " + std::to_string(batch) + "}");
      take("nextBatch");
    }
  }
  static std::string sorted(const std::string& lines) {
    std::vector<std::string> each;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) each.push_back(line);
    std::ranges::sort(each);
    std::string all;
    for (const std::string& line : each) all += line + "\n";
    return all;
  }
  std::string condition(Random& random) {
    const auto number = [&](std::uint64_t below) { return std::to_string(random.below(below)); };
    switch (random.below(10)) {
      case 0:
        return "a: " + number(12);
      case 1:
        return "b: " + number(9) + ", c: {$gt: " + number(40) + "}";
      case 2:
        return "a: {$in: [" + number(12) + ", " + number(12) + "]}";
      case 3:
        return "c: {$lt: " + number(20) + "}";
      case 4:
        return "s: /^x" + number(5) + "/";
      case 5:
        return "_id: {$lt: " + number(50) + "}";
      case 6:
        return "$expr: {$eq: ['$_id', " + number(600) + "]}";
      case 7:
        return "b: " + number(9) + ", $expr: {$lt: ['$c', " + number(40) + "]}";
      case 8:
        return "$expr: {$or: [{$eq: ['$a', " + number(12) + "]}, {$and: [{$eq: ['$b', " + number(9) + "]}, {$gte: [" + number(40) + ", '$c']}]}]}";
      default:
        return "c: " + number(40) + ", b: {$lte: " + number(9) + "}";
    }
  }
  std::string filter(Random& random) {
    if (random.one_in(4)) return "{" + condition(random) + "}";
    std::string text = random.one_in(4) ? "{b: {$gt: 1}, $or: [" : "{$or: [";
    for (std::uint64_t i = 0, count = 2 + random.below(2); i < count; ++i) text += (i > 0 ? ", {" : "{") + condition(random) + "}";
    return text + "]}";
  }

  InProcess server_;
};

TEST_P(PlannedReads, AreTheSameHoweverACollectionIsDivided) {
  const std::vector<std::pair<std::string, int>> collections = {{"whole", 0}, {"one", 1}, {"three", 3}, {"seven", 7}};
  for (const auto& [name, partitions] : collections) fill(name, partitions);
  Random random(GetParam() + 100);
  constexpr std::string_view kSorts[] = {"{c: 1}", "{c: -1}", "{b: 1, c: -1}", "{a: 1, c: -1}", "{_id: 1}", "{c: 1, b: 1}", "{s: 1}"};
  for (int question = 0; question < 25 && !HasFailure(); ++question) {
    const std::string where = "filter: " + filter(random);
    const std::string by_all = sorted(rows("whole", where + ", hint: {$natural: 1}", 1000));
    for (const auto& [name, partitions] : collections) EXPECT_EQ(sorted(rows(name, where, 7)), by_all) << name << " " << where;
    const std::string sort = std::string(random.pick(kSorts));
    const std::string order = where + ", sort: " + sort + (random.one_in(2) ? ", limit: 15, skip: 3" : "");
    const std::string wanted = rows("one", order, 1000);
    for (const auto& [name, partitions] : collections) {
      if (partitions == 0) continue;  // Of rows that are equal in the sort, the hash decides.
      for (const int degree : {-1, 0, 3}) {
        const std::string asked = order + ", maxDegreeOfParallelism: " + std::to_string(degree);
        EXPECT_EQ(rows(name, asked, 1 + static_cast<int>(random.below(20))), wanted) << name << " " << asked;
      }
    }
    const std::string total = where + ", sort: {" + sort.substr(1, sort.size() - 2) + (sort == "{_id: 1}" ? "}" : ", _id: 1}");
    const std::string in_order = rows("whole", total + ", hint: {$natural: 1}", 1000);
    for (const auto& [name, partitions] : collections) EXPECT_EQ(rows(name, total, 11), in_order) << name << " " << total;
  }
}

TEST_P(PlannedReads, CountAndChangeTheSame) {
  fill("whole", 0);
  fill("three", 3);
  Random random(GetParam() + 200);
  for (int question = 0; question < 20 && !HasFailure(); ++question) {
    const std::string where = filter(random);
    const auto wanted = send("{count: 'whole', query: " + where + ", hint: {$natural: 1}}")["n"].exact_int64();
    for (const char* name : {"whole", "three"}) {
      const std::string in(name);
      EXPECT_EQ(send("{count: '" + in + "', query: " + where + "}")["n"].exact_int64(), wanted) << name << where;
      const Document updated = send("{update: '" + in + "', updates: [{q: " + where + ", u: {$inc: {n: 1}}, multi: true}]}");
      EXPECT_EQ(updated["n"].exact_int64(), wanted) << name << where;
      const Document summed = send("{aggregate: '" + in + "', pipeline: [{$match: " + where + "}, {$group: {_id: null, n: {$sum: 1}}}], cursor: {}}");
      EXPECT_EQ(at(summed.view(), "cursor.firstBatch.0.n").exact_int64().value_or(0), wanted) << name << where;
    }
  }
}

/// Most of the ranges that such lists make have no keys.
TEST_P(PlannedReads, FindFewOfManyValues) {
  fill("whole", 0);
  fill("three", 3);
  Random random(GetParam() + 300);
  for (int question = 0; question < 12 && !HasFailure(); ++question) {
    constexpr std::uint64_t kSpreads[] = {60, 1000, 100'000};
    const std::uint64_t spread = random.pick(kSpreads);
    const auto list = [&](std::uint64_t count) {
      std::string text = "{$in: [";
      for (std::uint64_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::to_string(random.below(spread));
      return text + "]}";
    };
    const bool of_two = random.one_in(3);
    const std::string where = of_two ? "filter: {a: " + list(30) + ", c: " + list(60) + "}" : "filter: {c: " + list(20 + random.below(1500)) + "}";
    for (const char* sort : {"{c: 1, _id: 1}", "{c: -1, _id: -1}", "{_id: 1}", "{c: -1, b: 1, _id: 1}"}) {
      const std::string ordered = where + ", sort: " + sort;
      const std::string wanted = rows("whole", ordered + ", hint: {$natural: 1}", 1000);
      for (const char* name : {"whole", "three"}) EXPECT_EQ(rows(name, ordered, 1 + static_cast<int>(random.below(9))), wanted) << name << ordered.substr(0, 200);
    }
    const std::string all = sorted(rows("whole", where + ", hint: {$natural: 1}", 1000));
    for (const char* name : {"whole", "three"}) EXPECT_EQ(sorted(rows(name, where, 7)), all) << name;
    for (const char* hint : {"'ac'", "'cbd'", "'bc'"}) EXPECT_EQ(sorted(rows("three", where + ", hint: " + hint, 7)), all) << hint;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, PlannedReads, testing::Range<std::uint64_t>(1, 5));

using PlannedReadsInTurns = PlannedReads;

TEST_P(PlannedReadsInTurns, ReadNoMoreThanIsWanted) {
  fill("whole", 0);
  const Document told = send("{explain: {find: 'whole', filter: {a: {$in: [1, 5, 7]}}, sort: {c: 1}, limit: 4}, verbosity: 'executionStats'}");
  EXPECT_EQ(at(told.view(), "executionStats.totalDocsExamined").exact_int64(), 4);
  EXPECT_LE(at(told.view(), "executionStats.totalKeysExamined").exact_int64(), 7);
  EXPECT_EQ(at(told.view(), "queryPlanner.winningPlan.inputStage.inputStage.stage").as_string(), "SORT_MERGE");
}
INSTANTIATE_TEST_SUITE_P(Seeds, PlannedReadsInTurns, testing::Values<std::uint64_t>(1));

/// Between two batches the partitions are divided, under a cursor that stands in several walks.
TEST_P(PlannedReadsInTurns, GoOnBehindASplit) {
  fill("three", 3);
  for (const char* rest : {"filter: {a: {$in: [1, 5, 7]}}, sort: {c: 1, _id: 1}", "filter: {$or: [{a: 1}, {b: 2}]}, sort: {c: 1}",
                           "filter: {$or: [{a: 1}, {b: 2}]}"}) {
    const std::string wanted = rows("three", rest, 1000);
    Document reply = send("{find: 'three', batchSize: 5, " + std::string(rest) + "}");
    std::string all;
    for (const bson::Field& row : at(reply.view(), "cursor.firstBatch").as_document()) all += bson::to_json(row.value) + "\n";
    const auto* collection = server_.server().store.catalog().snapshot().find("test.three");
    const auto id = static_cast<std::int64_t>(collection->partitions[1].partition->id());
    send("{splitPartition: 'test.three', partition: " + std::to_string(id) + "}");
    const auto cursor = at(reply.view(), "cursor.id").exact_int64().value_or(0);
    reply = send("{getMore: {$numberLong: '" + std::to_string(cursor) + "'}, collection: 'three'}");
    for (const bson::Field& row : at(reply.view(), "cursor.nextBatch").as_document()) all += bson::to_json(row.value) + "\n";
    EXPECT_EQ(std::string_view(rest).find("sort") == std::string_view::npos ? sorted(all) : all,
              std::string_view(rest).find("sort") == std::string_view::npos ? sorted(wanted) : wanted)
        << rest;
  }
}

/// What took a time that grows with the square of the clauses, or the product of the lists, took half a minute here.
TEST(Planning, OfVeryManyClausesIsSoonDone) {
  InProcess server;
  const auto took = [&](const std::string& command) {
    const auto began = std::chrono::steady_clock::now();
    const Document reply = server.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command.substr(0, 200);
    return std::chrono::steady_clock::now() - began;
  };
  server.run("{insert: 'c', documents: [{_id: 1, a: 1, b: 2}, {_id: 2, a: 900, b: 7}]}");
  server.run("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'ab'}, {key: {b: 1}, name: 'b'}]}");
  std::string clauses;
  std::string values;
  for (int i = 0; i < 1600; ++i) {
    clauses += detail::join(i == 0 ? "" : ", ", "{$or: [{a: ", i, "}, {b: ", i, "}]}");
    values += detail::join(i == 0 ? "" : ", ", i);
  }
  EXPECT_LT(took("{find: 'c', filter: {$and: [" + clauses + "]}}"), std::chrono::seconds(5));
  EXPECT_LT(took("{count: 'c', query: {a: {$in: [" + values + "]}, b: {$in: [" + values + "]}}}"), std::chrono::seconds(5));
  EXPECT_EQ(server.reply("{count: 'c', query: {a: {$in: [" + values + "]}, b: {$in: [" + values + "]}}}")["n"].exact_int64(), 2);
}

}  // namespace
}  // namespace partita::test
