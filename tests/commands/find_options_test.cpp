// SPDX-License-Identifier: GPL-3.0-or-later
// What find shows of documents beside their fields, and the keys that it is told to stay between, over several partitions.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/commands/in_process.h"
#include "wire/bson/json.h"

namespace partita::test {
namespace {

using bson::Document;

class FindOptions : public ::testing::Test {
 protected:
  void SetUp() override {
    send("{shardCollection: 'test.divided', key: {_id: 'hashed'}, numInitialChunks: 8}");
    std::string documents;
    for (int i = 0; i < 60; ++i) {
      documents += "{_id: " + std::to_string(i) + ", n: " + std::to_string(i * 7 % 60) + ", m: [" + std::to_string(i) + ", " +
                   std::to_string(i + 1) + "]}, ";
    }
    for (const std::string name : {"divided", "whole"}) {
      send("{insert: '" + name + "', documents: [" + documents + "]}");
      send("{createIndexes: '" + name + "', indexes: [{key: {n: -1}, name: 'n'}, {key: {m: 1}, name: 'm'}]}");
    }
  }
  Document send(const std::string& command) {
    Document reply = server_.reply(command);
    EXPECT_EQ(reply["ok"].to_double(), 1) << command << ": " << bson::to_json(reply);
    return reply;
  }
  /// All documents of a find, read in batches of seven.
  std::vector<std::string> find(const std::string& collection, const std::string& options) {
    std::vector<std::string> rows;
    Document reply = send("{find: '" + collection + "', batchSize: 7, " + options + "}");
    while (true) {
      const bson::View cursor = reply["cursor"].as_document();
      const char* batch = cursor.has("firstBatch") ? "firstBatch" : "nextBatch";
      for (const bson::Field& row : cursor[batch].as_document()) rows.push_back(bson::to_json(row.value));
      const std::int64_t id = cursor["id"].as_int64();
      if (id == 0) return rows;
      reply = send("{getMore: NumberLong('" + std::to_string(id) + "'), collection: '" + collection + "', batchSize: 7}");
    }
  }
  std::map<std::int32_t, std::int64_t> record_ids(const std::string& options) {
    std::map<std::int32_t, std::int64_t> ids;
    const Document reply = send("{find: 'divided', batchSize: 100, showRecordId: true, projection: {_id: 1}, " + options + "}");
    for (const bson::Field& row : reply["cursor"].as_document()["firstBatch"].as_document()) {
      ids[row.value.as_document()["_id"].as_int32()] = row.value.as_document()["$recordId"].as_int64();
    }
    return ids;
  }

  InProcess server_;
};

TEST_F(FindOptions, ARecordKeepsItsIdWhicheverWayItIsFound) {
  const auto ids = record_ids("filter: {}");
  ASSERT_EQ(ids.size(), 60u);
  std::set<std::int64_t> different;
  for (const auto& [id, record] : ids) {
    EXPECT_GE(record, 0);
    different.insert(record);
  }
  EXPECT_EQ(different.size(), 60u);
  EXPECT_EQ(record_ids("sort: {m: -1}"), ids);
  EXPECT_EQ(record_ids("sort: {n: 1}, hint: 'n'"), ids);
  EXPECT_EQ(record_ids("filter: {_id: 7}").at(7), ids.at(7));
  send("{update: 'divided', updates: [{q: {_id: 7}, u: {$set: {n: -1, more: 'x'}}}]}");
  server_.crash();
  EXPECT_EQ(record_ids("filter: {}"), ids);
}

TEST_F(FindOptions, KeysBetweenBoundsAreTheSameOverPartitions) {
  for (const char* options : {"hint: 'n', min: {n: 40}, max: {n: 3}, sort: {n: -1}", "hint: 'n', min: {n: 40}, sort: {n: 1}",
                              "hint: 'n', max: {n: 17}, sort: {n: 1}, skip: 3, limit: 20",
                              "hint: 'n', min: {n: 40}, max: {n: 3}, filter: {m: {$gt: 20}}, sort: {_id: -1}",
                              "hint: 'm', min: {m: 10}, max: {m: 30}, sort: {m: 1, _id: 1}",
                              "hint: 'm', min: {m: 10}, max: {m: 30}, sort: {_id: 1}"}) {
    const auto rows = find("divided", options);
    EXPECT_GT(rows.size(), 5u) << options;
    EXPECT_EQ(rows, find("whole", options)) << options;
  }
  EXPECT_EQ(find("divided", "hint: 'm', min: {m: 10}, max: {m: 30}").size(), 21u) << "each document once";
}

TEST_F(FindOptions, KeysAreReturnedAlikeOverPartitions) {
  for (const char* options : {"filter: {n: {$gt: 10}}, sort: {n: -1}, returnKey: true", "hint: 'm', sort: {_id: 1}, returnKey: true",
                              "filter: {m: {$gt: 10}}, hint: 'm', sort: {_id: 1}, returnKey: true",
                              "filter: {n: {$gt: 10}}, sort: {m: 1, _id: 1}, projection: {k: {$meta: 'sortKey'}}, returnKey: true",
                              "sort: {m: -1, _id: 1}, projection: {_id: 1, k: {$meta: 'sortKey'}}",
                              "filter: {m: {$gt: 30}}, sort: {_id: 1}, projection: {'m.$': 1}"}) {
    EXPECT_EQ(find("divided", options), find("whole", options)) << options;
  }
}

/// Of hashes, which are ours alone: $toHashedIndexKey tells them.
class HashedKeys : public FindOptions {
 protected:
  void SetUp() override {
    FindOptions::SetUp();
    for (const std::string name : {"divided", "whole"}) {
      send("{createIndexes: '" + name + "', indexes: [{key: {n: 'hashed'}, name: 'h'}, {key: {_id: 1, n: 'hashed'}, name: 'ih'}]}");
    }
  }
  /// The hash of each n, ascending.
  std::map<std::int64_t, std::int32_t> hashes() {
    std::map<std::int64_t, std::int32_t> found;
    const Document reply = send("{aggregate: 'whole', cursor: {}, pipeline: [{$project: {_id: 0, n: 1, h: {$toHashedIndexKey: '$n'}}}]}");
    for (const bson::Field& row : reply["cursor"].as_document()["firstBatch"].as_document()) {
      found[row.value.as_document()["h"].as_int64()] = row.value.as_document()["n"].as_int32();
    }
    return found;
  }
  static std::string number(std::int64_t hash) { return "NumberLong('" + std::to_string(hash) + "')"; }
};

TEST_F(HashedKeys, AreShown) {
  const auto all = hashes();
  ASSERT_EQ(all.size(), 60U);
  for (const std::string name : {"divided", "whole"}) {
    std::multiset<std::string> wanted;
    for (const auto& [hash, n] : all) wanted.insert("{\"n\":" + std::to_string(hash) + "}");
    const auto rows = find(name, "hint: 'h', returnKey: true");
    EXPECT_EQ(std::multiset<std::string>(rows.begin(), rows.end()), wanted) << name;
    const auto [hash, n] = *all.begin();
    EXPECT_EQ(find(name, "hint: 'h', filter: {n: " + std::to_string(n) + "}, returnKey: true"), std::vector<std::string>{"{\"n\":" + std::to_string(hash) + "}"});
  }
}

TEST_F(HashedKeys, HaveBoundsAmongLongs) {
  const auto all = hashes();
  std::vector<std::int64_t> sorted;
  for (const auto& [hash, n] : all) sorted.push_back(hash);
  const auto between = [&](std::size_t from, std::size_t to) {
    std::multiset<std::string> wanted;
    for (std::size_t i = from; i < to; ++i) wanted.insert("{\"n\":" + std::to_string(all.at(sorted[i])) + "}");
    return wanted;
  };
  for (const std::string name : {"divided", "whole"}) {
    const auto found = [&](const std::string& bounds) {
      const auto rows = find(name, "hint: 'h', projection: {_id: 0, n: 1}, " + bounds);
      return std::multiset<std::string>(rows.begin(), rows.end());
    };
    EXPECT_EQ(found("min: {n: " + number(sorted[10]) + "}, max: {n: " + number(sorted[20]) + "}"), between(10, 20)) << name;
    EXPECT_EQ(found("min: {n: " + number(sorted[10] + 1) + "}"), between(11, 60)) << name;
    EXPECT_EQ(found("max: {n: NumberDecimal('" + std::to_string(sorted[30]) + ".5')}"), between(0, 31)) << name;
  }
}

TEST_F(HashedKeys, HaveBoundsInAShardKey) {
  const Document reply = send("{aggregate: 'whole', cursor: {}, pipeline: [{$project: {h: {$toHashedIndexKey: '$_id'}}}]}");
  std::map<std::int64_t, std::int32_t> all;
  for (const bson::Field& row : reply["cursor"].as_document()["firstBatch"].as_document()) {
    all[row.value.as_document()["h"].as_int64()] = row.value.as_document()["_id"].as_int32();
  }
  const auto from = std::next(all.begin(), 20);
  const auto to = std::next(from, 5);
  std::vector<std::string> wanted;
  for (auto at = from; at != to; ++at) wanted.push_back("{\"_id\":" + std::to_string(at->second) + "}");
  EXPECT_EQ(find("divided", "hint: {_id: 'hashed'}, projection: {_id: 1}, min: {_id: " + number(from->first) + "}, max: {_id: " + number(to->first) + "}"), wanted);
}

}  // namespace
}  // namespace partita::test
