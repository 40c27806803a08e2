// SPDX-License-Identifier: GPL-3.0-or-later
// What is told of each partition, and the limit of a logical one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "shards/storage/fail_point.h"
#include "tests/commands/in_process.h"
#include "tests/support/at_path.h"
#include "wire/bson/json.h"

namespace partita::commands {
namespace {

using test::at;
using ::testing::HasSubstr;

/// A document there, printed; empty for anything else.
std::string shown(bson::View document, std::string_view path) {
  const bson::Value value = at(document, path);
  return value.is_document() || value.is_array() ? test::readable(value.as_document()) : std::string();
}

class PartitionStats : public ::testing::Test {
 protected:
  ~PartitionStats() override { set_limit(10ll << 30); }
  std::string run(std::string_view command) { return server_.run(command); }
  bson::Document reply(std::string_view command) { return server_.reply(command); }
  void set_limit(std::int64_t bytes) {
    EXPECT_THAT(run("{setParameter: 1, logicalPartitionSizeLimitBytes: " + std::to_string(bytes) + "}"), HasSubstr("ok: 1.0"));
  }
  /// The first write error's code, or 0.
  std::int64_t insert(std::string_view collection, int id, std::string_view key, std::size_t padding) {
    const bson::Document answer = reply("{insert: '" + std::string(collection) + "', documents: [{_id: " + std::to_string(id) + ", a: '" +
                                        std::string(key) + "', p: '" + std::string(padding, 'x') + "'}]}");
    last_ = test::readable(answer.view());
    return at(answer, "writeErrors.0.code").exact_int64().value_or(0);
  }
  /// How many documents of 1000 bytes a key takes before it is refused.
  int fill(std::string_view key, int from) {
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t refused = insert("s", from + i, key, 1000);
      if (refused != 0) {
        EXPECT_EQ(refused, 73000001) << last_;
        return i;
      }
    }
    return 1000;
  }
  bson::Document partitions(std::string_view collection) {
    const bson::Document answer = reply("{partitionStats: '" + std::string(collection) + "'}");
    EXPECT_TRUE(answer["partitions"].is_array()) << test::readable(answer.view());
    return bson::Document(answer["partitions"].as_document());
  }
  std::int64_t sum(std::string_view collection, std::string_view path) {
    std::int64_t sum = 0;
    const bson::Document all = partitions(collection);
    for (const auto& [name, one] : all.view()) sum += at(one.as_document(), path).exact_int64().value_or(0);
    return sum;
  }

  std::string last_;
  test::InProcess server_;
};

TEST_F(PartitionStats, CountsAreExactAlsoAfterAKill) {
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 'hashed'}, numInitialChunks: 3}"), HasSubstr("ok: 1.0"));
  for (int i = 0; i < 30; ++i) EXPECT_EQ(insert("s", i, "k" + std::to_string(i % 5), 10), 0);
  EXPECT_EQ(partitions("s").view().count(), 3);
  EXPECT_EQ(sum("s", "documents"), 30);
  EXPECT_EQ(sum("s", "operations.writes"), 30);
  const std::int64_t bytes = sum("s", "bytes");
  EXPECT_EQ(run("{delete: 's', deletes: [{q: {_id: 3}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  server_.crash();
  EXPECT_EQ(sum("s", "documents"), 29);
  EXPECT_EQ(sum("s", "bytes"), bytes - bytes / 30);
}

TEST_F(PartitionStats, TellsRangeAgeAndSegment) {
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  const bson::Document all = partitions("s");
  const bson::View one = all["0"].as_document();
  EXPECT_EQ(test::readable(one["min"].as_document()), "{a: {$minKey: 1}}");
  EXPECT_EQ(test::readable(one["max"].as_document()), "{a: {$maxKey: 1}}");
  EXPECT_EQ(one["state"].as_string(), "open");
  for (const char* field : {"partition", "segment", "ageSeconds", "created", "indexBytes", "storageBytes", "splitsInProgress"}) {
    EXPECT_TRUE(one.has(field)) << field;
  }
  EXPECT_THAT(run("{insert: 'plain', documents: [{_id: 1}]}"), HasSubstr("ok: 1.0"));
  EXPECT_THAT(run("{aggregate: 'plain', pipeline: [{$partitionStats: {}}, {$project: {_id: 0, min: 1, documents: 1}}], cursor: {}}"),
              HasSubstr("firstBatch: [{min: {_id: {$minKey: 1}}, documents: 1}]"));
}

TEST_F(PartitionStats, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(reply("{partitionStats: 'nope'}")["code"].exact_int64(), 26);
  EXPECT_EQ(reply("{aggregate: 'nope', pipeline: [{$partitionStats: {}}], cursor: {}}")["code"].exact_int64(), 26);
  EXPECT_EQ(reply("{aggregate: 'nope', pipeline: [{$partitionStats: 1}], cursor: {}}")["code"].exact_int64(), 14);
  EXPECT_EQ(reply("{aggregate: 'nope', pipeline: [{$partitionStats: {x: 1}}], cursor: {}}")["code"].exact_int64(), 40415);
}

TEST_F(PartitionStats, LargestKeysAreToldAfterAKillToo) {
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 'hashed'}, numInitialChunks: 1}"), HasSubstr("ok: 1.0"));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(insert("s", i, i % 4 == 0 ? "big" : "k" + std::to_string(i), 100), 0);
  const auto largest = [&] {
    const bson::Document all = partitions("s");
    return shown(all, "0.largestKeys.0.key");
  };
  EXPECT_EQ(largest(), "{a: \"big\"}");
  server_.crash();
  EXPECT_EQ(largest(), "{a: \"big\"}");
}

TEST_F(PartitionStats, HottestKeysAreTold) {
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(insert("s", 1, "hot", 1), 0);
  for (int i = 0; i < 200; ++i) run("{find: 's', filter: {a: 'hot', _id: 1}}");
  const bson::Document all = partitions("s");
  EXPECT_EQ(shown(all, "0.hottestKeys.0.key"), "{a: \"hot\"}");
  EXPECT_GE(sum("s", "operations.reads"), 200);
}

TEST_F(PartitionStats, HottestKeysAreToldOfReadsByTheKeyAlone) {
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 'hashed', b: 1}, numInitialChunks: 2}"), HasSubstr("ok: 1.0"));
  EXPECT_EQ(insert("s", 1, "cold", 1), 0);
  for (int i = 0; i < 400; ++i) run("{find: 's', filter: {a: 'hot', b: null, c: 5}}");
  for (int i = 0; i < 400; ++i) run("{find: 's', filter: {a: 'warm'}}");  // One of its fields is no key.
  std::string hottest;
  const bson::Document all = partitions("s");
  for (const auto& [name, one] : all.view()) hottest += shown(one.as_document(), "hottestKeys");
  EXPECT_THAT(hottest, HasSubstr("{key: {a: \"hot\", b: null}"));
  EXPECT_THAT(hottest, ::testing::Not(HasSubstr("warm")));
}

/// Reads of each partition since the last call.
class PartitionReads : public PartitionStats {
 protected:
  void SetUp() override {
    // Three partitions in two segments.
    EXPECT_THAT(run("{shardCollection: 'test.s', key: {_id: 1}}"), HasSubstr("ok: 1.0"));
    for (int i = 0; i < 300; ++i) EXPECT_EQ(insert("s", i, "k" + std::to_string(i % 3), 1), 0);
    for (const char* middle : {"100", "200"}) {
      EXPECT_THAT(run("{split: 'test.s', middle: {_id: " + std::string(middle) + "}}"), HasSubstr("ok: 1.0"));
    }
    EXPECT_THAT(run("{createIndexes: 's', indexes: [{key: {a: 1}, name: 'a'}]}"), HasSubstr("ok: 1.0"));
    (void)reads();
  }
  std::vector<std::int64_t> reads() {
    std::vector<std::int64_t> since;
    const bson::Document all = partitions("s");
    for (const auto& [name, one] : all.view()) {
      const std::int64_t now = at(one.as_document(), "operations.reads").exact_int64().value_or(-1);
      if (before_.size() <= since.size()) before_.push_back(0);
      since.push_back(now - std::exchange(before_[since.size()], now));
    }
    return since;
  }
  /// Runs a query and all the getMores that it takes.
  void run_to_the_end(const std::string& query) {
    bson::Document answer = reply(query);
    while (true) {
      const std::int64_t id = at(answer, "cursor.id").exact_int64().value_or(0);
      if (id == 0) break;
      answer = reply("{getMore: {$numberLong: '" + std::to_string(id) + "'}, collection: 's', batchSize: 7}");
    }
    EXPECT_EQ(answer["ok"].to_double(), 1) << query << ": " << test::readable(answer.view());
  }

 private:
  std::vector<std::int64_t> before_;
};

TEST_F(PartitionReads, AreOneForEachQueryAndPartitionHoweverManyBatchesItTakes) {
  using Reads = std::vector<std::int64_t>;
  for (const char* degree : {"0", "2", "-1"}) {
    const std::string how = ", batchSize: 5, maxDegreeOfParallelism: " + std::string(degree) + "}";
    for (const char* query : {"{find: 's'", "{find: 's', sort: {_id: -1}", "{find: 's', sort: {a: 1}", "{find: 's', sort: {b: 1}",
                              "{find: 's', filter: {a: 'k1'}"}) {
      run_to_the_end(query + how);
      EXPECT_EQ(reads(), (Reads{1, 1, 1})) << query << how;
    }
    run_to_the_end("{find: 's', filter: {_id: {$gte: 150}}" + how);
    EXPECT_EQ(reads(), (Reads{0, 1, 1}));
    run_to_the_end("{find: 's', filter: {_id: {$lt: 150}}, sort: {_id: -1}" + how);
    EXPECT_EQ(reads(), (Reads{1, 1, 0}));
  }
  run_to_the_end("{find: 's', limit: 3, maxDegreeOfParallelism: 0}");
  EXPECT_EQ(reads(), (Reads{1, 0, 0})) << "the others were not needed";
  run_to_the_end("{count: 's', query: {a: 'k2'}}");
  EXPECT_EQ(reads(), (Reads{1, 1, 1}));
  run_to_the_end("{find: 's', filter: {_id: 250}}");
  EXPECT_EQ(reads(), (Reads{0, 0, 1}));
}

TEST_F(PartitionStats, ALogicalPartitionHasALimit) {
  set_limit(64 << 10);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 'hashed'}, numInitialChunks: 1}"), HasSubstr("ok: 1.0"));
  const int fits = fill("one", 0);
  EXPECT_EQ(fits, (64 << 10) / 1037) << last_;
  EXPECT_THAT(last_, HasSubstr("partition key reached maximum size of 64 KB"));
  // Others are not affected, and each has the same limit.
  EXPECT_EQ(fill("two", 1000), fits);
  EXPECT_EQ(insert("s", 5000, "three", 1000), 0);
  // What shrinks goes on, what grows does not.
  EXPECT_THAT(run("{update: 's', updates: [{q: {_id: 1, a: 'one'}, u: {$set: {p: 'short'}}}]}"), HasSubstr("nModified: 1"));
  EXPECT_EQ(insert("s", 6000, "one", 900), 0);
  EXPECT_THAT(run("{update: 's', updates: [{q: {_id: 1, a: 'one'}, u: {$set: {p: '" + std::string(1500, 'y') + "'}}}]}"), HasSubstr("73000001"));
  EXPECT_THAT(run("{find: 's', filter: {a: 'one', _id: 2}, projection: {_id: 1}}"), HasSubstr("[{_id: 2}]"));
  // Deleting makes room.
  EXPECT_EQ(run("{delete: 's', deletes: [{q: {_id: 2, a: 'one'}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  EXPECT_EQ(insert("s", 6001, "one", 1000), 0);
  EXPECT_EQ(insert("s", 6002, "one", 1000), 73000001);
}

TEST_F(PartitionStats, TheLimitHoldsRightAfterAKill) {
  set_limit(64 << 10);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  const int fits = fill("one", 0);
  EXPECT_EQ(run("{delete: 's', deletes: [{q: {_id: 0, a: 'one'}, limit: 1}]}"), "{n: 1, ok: 1.0}");
  server_.crash();
  EXPECT_EQ(insert("s", 2000, "one", 1000), 0);
  EXPECT_EQ(insert("s", 2001, "one", 1000), 73000001);
  EXPECT_EQ(fill("two", 3000), fits);
}

TEST_F(PartitionStats, TheLimitIsExactAmongManyKeys) {
  set_limit(20 << 10);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  // More keys than a sketch keeps, so that its bounds alone would refuse what has room.
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 100; ++i) ASSERT_EQ(insert("s", round * 100 + i, "k" + std::to_string(i), 1000), 0) << last_;
  }
  EXPECT_EQ(fill("k7", 100'000), (20 << 10) / 1036 - 10) << last_;
  EXPECT_EQ(fill("new", 200'000), (20 << 10) / 1037) << last_;
}

TEST_F(PartitionStats, ABatchStopsWhereTheLimitIs) {
  set_limit(10'000);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  std::string documents;
  for (int i = 0; i < 20; ++i) documents += "{_id: " + std::to_string(i) + ", a: 'x', p: '" + std::string(1000, 'p') + "'},";
  documents.pop_back();
  const std::string answer = run("{insert: 's', documents: [" + documents + "]}");
  EXPECT_THAT(answer, HasSubstr("n: 9,"));
  EXPECT_THAT(answer, HasSubstr("partition key reached maximum size of 10000 bytes"));
  EXPECT_EQ(sum("s", "documents"), 9);
}

TEST_F(PartitionStats, SplitLogicalPartitionsHaveNoLimit) {
  set_limit(10'000);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}, splitLogicalPartitions: true}"), HasSubstr("ok: 1.0"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(insert("s", i, "x", 1000), 0);
}

TEST_F(PartitionStats, WritersAndCountsMeet) {
  set_limit(40'000);
  EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
  std::vector<std::jthread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      test::Client client(server_.server());
      for (int i = 0; i < 300; ++i) {
        client.run("{insert: 's', documents: [{_id: " + std::to_string(w * 1000 + i) + ", a: 'k" + std::to_string(i % 50) + "', p: '" +
                   std::string(500, 'x') + "'}]}");
        if (i % 3 == 0) client.run("{delete: 's', deletes: [{q: {_id: " + std::to_string(w * 1000 + i - 30) + "}, limit: 0}]}");
      }
    });
  }
  writers.clear();
  EXPECT_EQ(sum("s", "documents"), reply("{count: 's', query: {_id: {$gte: 0}}}")["n"].exact_int64());
  // What a key may still take is what is left of the limit.
  const bson::Document used = reply("{count: 's', query: {a: 'k7'}}");
  const std::int64_t each = 536;
  const std::int64_t room = (40'000 - used["n"].exact_int64().value_or(0) * each) / each;
  std::int64_t taken = 0;
  while (taken < 200 && insert("s", 50'000 + static_cast<int>(taken), "k7", 500) == 0) ++taken;
  EXPECT_NEAR(static_cast<double>(taken), static_cast<double>(room), 2.0) << last_;
}

// Writers who meet right below the limit see what the others are about to add. With the commit held up for a moment nearly
// all of them have something under way when the next one asks.
TEST_F(PartitionStats, WritersTogetherKeepTheLimitToo) {
  constexpr std::int64_t kLimit = 200'000;
  constexpr int kWriters = 8;
  set_limit(kLimit);
  for (const int documents : {1, 7}) {  // One by one, and in batches.
    EXPECT_THAT(run("{shardCollection: 'test.s', key: {a: 1}}"), HasSubstr("ok: 1.0"));
    shards::FailPoint& held_up = *shards::FailPoint::find("storageBeforeCommit");
    held_up.set({.mode = shards::FailPoint::Mode::kAlways, .data = bson::parse_json("{blockTimeMS: 1}").value()});
    std::atomic<int> stored{0}, refused{0};
    std::vector<std::jthread> writers;
    for (int w = 0; w < kWriters; ++w) {
      writers.emplace_back([&, w] {
        test::Client client(server_.server());
        for (int i = 0, in_vain = 0; in_vain < 3; ++i) {
          std::string batch;
          for (int k = 0; k < documents; ++k) {
            batch += "{_id: " + std::to_string((w * 1000 + i) * 10 + k) + ", a: 'hot', p: '" + std::string(1000, 'x') + "'},";
          }
          batch.pop_back();
          const bson::Document answer = client.reply("{insert: 's', documents: [" + batch + "], ordered: true}");
          const auto n = static_cast<int>(answer["n"].exact_int64().value_or(0));
          stored += n;
          if (n < documents) ++refused, ++in_vain;
        }
      });
    }
    writers.clear();
    held_up.set({});
    const std::int64_t bytes = sum("s", "bytes");
    EXPECT_EQ(sum("s", "documents"), stored);
    ASSERT_LE(bytes, kLimit);
    EXPECT_GT(bytes, kLimit - 2 * 1038) << "it is full to the last document, but for a writer's share of the limit";
    EXPECT_EQ(refused, kWriters * 3);
    // Nothing is left set aside: what goes makes room for just as much.
    EXPECT_EQ(run("{delete: 's', deletes: [{q: {a: 'hot'}, limit: 1}]}"), "{n: 1, ok: 1.0}");
    EXPECT_EQ(insert("s", 900'000, "hot", 1000), 0) << last_;
    EXPECT_EQ(insert("s", 900'001, "hot", 1000 + static_cast<std::size_t>(kLimit - bytes)), 73000001);
    EXPECT_THAT(run("{drop: 's'}"), HasSubstr("ok: 1.0"));
  }
}

}  // namespace
}  // namespace partita::commands
