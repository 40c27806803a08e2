// SPDX-License-Identifier: GPL-3.0-or-later
//
// Splitting and merging by command, as a mongos takes it and in our own words, and what retried statements find afterwards.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "shards/balance/heritage.h"
#include "tests/commands/balance_settings.h"
#include "tests/commands/in_process.h"

namespace partita::test {
namespace {

class SplitCommands : public testing::Test {
 protected:
  void shard(const std::string& key) {
    const std::string answer = server_.run("{shardCollection: 'test.c', key: " + key + ", $db: 'admin'}");
    ASSERT_NE(answer.find("ok: 1.0"), std::string::npos) << answer;
  }
  void insert(int first, int end) {
    std::string documents;
    for (int i = first; i < end; ++i) documents += ::partita::detail::join(i > first ? ", " : "", "{_id: ", i, ", k: ", i, "}");
    ASSERT_EQ(server_.run("{insert: 'c', documents: [" + documents + "]}"), ::partita::detail::join("{n: ", end - first, ", ok: 1.0}"));
  }
  std::string admin(const std::string& command) { return server_.run("{" + command + ", $db: 'admin'}"); }
  std::shared_ptr<const shards::Collection> now() { return server_.server().store.catalog().share()->share("test.c"); }
  std::size_t partitions() { return now()->partitions.size(); }
  std::uint32_t id_at(std::size_t place) { return static_cast<std::uint32_t>(now()->partitions[place].partition->id()); }
  static bool refuses(const std::string& answer, int code, std::string_view word) {
    const bool refused = answer.find("ok: 0.0") != std::string::npos && answer.find(::partita::detail::join("code: ", code)) != std::string::npos;
    return refused && answer.find(word) != std::string::npos;
  }

  BalanceSettings balance_;
  InProcess server_;
};

TEST_F(SplitCommands, SplitAsAMongosTakesIt) {
  shard("{k: 1}");
  insert(0, 100);
  EXPECT_EQ(admin("split: 'test.c', middle: {k: 30}"), "{ok: 1.0}");
  EXPECT_EQ(admin("split: 'test.c', find: {k: 80}"), "{ok: 1.0}");
  EXPECT_EQ(partitions(), 3u);
  EXPECT_EQ(admin("split: 'test.c', bounds: [{k: {$minKey: 1}}, {k: 30}]"), "{ok: 1.0}");
  EXPECT_EQ(partitions(), 4u);
  EXPECT_EQ(server_.run("{count: 'c'}"), "{n: 100, ok: 1.0}");
  EXPECT_PRED3(refuses, admin("split: 'test.c', middle: {k: 30}"), 2, "is a boundary key of existing chunk [{ k: 30 }, { k: 65 })");
  EXPECT_PRED3(refuses, admin("split: 'test.c', middle: {x: 30}"), 2, "is not valid for shard key pattern { k: 1 }");
  EXPECT_PRED3(refuses, admin("split: 'test.c'"), 2, "need to specify find/bounds or middle");
  EXPECT_PRED3(refuses, admin("split: 'test.c', find: {k: 1}, middle: {k: 2}"), 2, "cannot specify find and middle together");
  EXPECT_PRED3(refuses, admin("split: 'test.c', find: {x: 1}"), 2, "no shard key found in chunk query { x: 1 }");
  EXPECT_PRED3(refuses, admin("split: 'test.c', bounds: [{k: 1}]"), 2, "upper bound not specified");
  EXPECT_PRED3(refuses, admin("split: 'test.c', bounds: [{k: 1}, {k: 5}]"), 2, "no chunk found with the shard key bounds");
  EXPECT_PRED3(refuses, admin("split: 'test.none', middle: {k: 1}"), 118, "to be sharded");
  EXPECT_PRED3(refuses, admin("split: 'test.c', middle: 5"), 14, "middle");
  EXPECT_PRED3(refuses, server_.run("{split: 'test.c', middle: {k: 5}, $db: 'test'}"), 13, "admin");
}

TEST_F(SplitCommands, RefusesToSplitOneKey) {
  shard("{r: 1}");
  insert(0, 10);  // None has r.
  EXPECT_PRED3(refuses, admin("split: 'test.c', find: {r: 1}"), 87, "Unable to find median in chunk because chunk is indivisible.");
  EXPECT_PRED3(refuses, admin(::partita::detail::join("splitPartition: 'test.c', partition: ", id_at(0))), 87, "cannot be split");
}

TEST_F(SplitCommands, SplitsByHash) {
  shard("{k: 'hashed'}");
  insert(0, 200);
  const std::size_t before = partitions();
  EXPECT_EQ(admin("split: 'test.c', find: {k: 7}"), "{ok: 1.0}");
  EXPECT_EQ(admin("split: 'test.c', middle: {k: NumberLong(12345)}"), "{ok: 1.0}");
  EXPECT_EQ(partitions(), before + 2);
  EXPECT_EQ(server_.run("{count: 'c'}"), "{n: 200, ok: 1.0}");
}

TEST_F(SplitCommands, OursTellWhatTheyDo) {
  shard("{k: 1}");
  insert(0, 10);
  const std::string partition = ::partita::detail::join("partition: ", id_at(0));
  const std::string shown = admin("splitPartition: 'test.c', " + partition + ", at: {k: 4}, dryRun: true");
  EXPECT_NE(shown.find("documents: 4"), std::string::npos) << shown;
  EXPECT_NE(shown.find("documents: 6"), std::string::npos) << shown;
  EXPECT_NE(shown.find("cut: {k: 4}"), std::string::npos) << shown;
  EXPECT_NE(shown.find("effect: "), std::string::npos) << shown;
  EXPECT_EQ(partitions(), 1u);
  const std::string done = admin("splitPartition: 'test.c', " + partition);
  EXPECT_NE(done.find("cut: {k: 5}"), std::string::npos) << done;
  EXPECT_NE(done.find("pauseMicros: "), std::string::npos) << done;
  EXPECT_EQ(partitions(), 2u);
  EXPECT_PRED3(refuses, admin("splitPartition: 'test.c', " + partition), 2, "has no partition");
  EXPECT_PRED3(refuses, admin("splitPartition: 'test.c'"), 40414, "partition");
  const std::string both = ::partita::detail::join("partitions: [", id_at(0), ", ", id_at(1), "]");
  EXPECT_NE(admin("mergePartitions: 'test.c', " + both + ", dryRun: true").find("documents: 10"), std::string::npos);
  EXPECT_EQ(partitions(), 2u);
  EXPECT_NE(admin("mergePartitions: 'test.c', " + both).find("ok: 1.0"), std::string::npos);
  EXPECT_EQ(partitions(), 1u);
  EXPECT_PRED3(refuses, admin("mergePartitions: 'test.c', " + both), 2, "is not there");
  EXPECT_PRED3(refuses, admin("mergePartitions: 'test.c', partitions: ['x', 1]"), 2, "partitions.0");
}

TEST_F(SplitCommands, MergeChunks) {
  shard("{k: 1}");
  insert(0, 40);
  for (const char* middle : {"10", "20", "30"}) EXPECT_EQ(admin(std::string("split: 'test.c', middle: {k: ") + middle + "}"), "{ok: 1.0}");
  EXPECT_NE(admin("mergeChunks: 'test.c', bounds: [{k: 10}, {k: 30}], dryRun: true").find("documents: 20"), std::string::npos);
  EXPECT_EQ(admin("mergeChunks: 'test.c', bounds: [{k: 10}, {k: 30}]"), "{ok: 1.0}");
  EXPECT_EQ(partitions(), 3u);
  EXPECT_PRED3(refuses, admin("mergeChunks: 'test.c', bounds: [{k: 10}, {k: 30}]"), 20, "already contains chunk");
  EXPECT_PRED3(refuses, admin("mergeChunks: 'test.c', bounds: [{k: 11}, {k: 30}]"), 2, "could not merge chunks");
  EXPECT_PRED3(refuses, admin("mergeChunks: 'test.c', bounds: [{k: 10}]"), 2, "only a min and max bound may be specified");
  EXPECT_PRED3(refuses, admin("mergeChunks: 'test.c'"), 2, "no bounds were specified");
  EXPECT_EQ(admin("mergeChunks: 'test.c', bounds: [{k: {$minKey: 1}}, {k: {$maxKey: 1}}]"), "{ok: 1.0}");
  EXPECT_EQ(partitions(), 1u);
}

TEST_F(SplitCommands, TheBalancerCanBeStopped) {
  EXPECT_NE(admin("balancerStop: 1, dryRun: true").find("dryRun: true"), std::string::npos);
  EXPECT_EQ(admin("balancerStop: 1"), "{ok: 1.0}");
  EXPECT_NE(admin("balancerStatus: 1").find("{mode: \"off\", inBalancerRound: false, numBalancerRounds: "), std::string::npos);
  server_.crash();
  EXPECT_NE(admin("balancerStatus: 1").find("mode: \"off\""), std::string::npos);
  EXPECT_EQ(admin("setParameter: 1, enableAutoSplit: true"), "{was: false, ok: 1.0}");
  EXPECT_NE(admin("setParameter: 1, partitionSizeLimitBytes: 2000").find("ok: 1.0"), std::string::npos);
  EXPECT_PRED3(refuses, admin("setParameter: 1, partitionSizeLimitBytes: 5"), 2, "partitionSizeLimitBytes");
  EXPECT_PRED3(refuses, admin("setParameter: 1, partitionSizeLimitBytes: 'x'"), 2, "partitionSizeLimitBytes");
  shard("{k: 1}");
  insert(0, 500);
  EXPECT_NE(admin("balancerCollectionStatus: 'test.c'").find("balancerCompliant: false"), std::string::npos);
  EXPECT_EQ(partitions(), 1u);
  EXPECT_EQ(admin("balancerStart: 1"), "{ok: 1.0}");
  for (int i = 0; i < 500 && admin("balancerCollectionStatus: 'test.c'").find("balancerCompliant: true") == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_GE(partitions(), 7u);
  EXPECT_EQ(server_.run("{count: 'c'}"), "{n: 500, ok: 1.0}");
  EXPECT_PRED3(refuses, admin("balancerCollectionStatus: 'test.none'"), 118, "to be sharded");
}

// Sent before a split, and again behind it, behind a restart, and behind the end of the inheritance.
TEST_F(SplitCommands, StatementsSentAgainAreKnown) {
  const std::string retry = ", lsid: {id: UUID(\"00000000-0000-0000-0000-000000000001\")}, txnNumber: NumberLong(";
  const std::vector<std::string> sent{
      "{insert: 'c', documents: [{_id: 1000, k: 1000}, {_id: 1001, k: 5}]",
      "{update: 'c', updates: [{q: {_id: 3, k: 3}, u: {$inc: {n: 1}}}]",
      "{update: 'c', updates: [{q: {n: {$exists: false}}, u: {$inc: {n: 5}}}]",
      "{findAndModify: 'c', query: {k: {$gt: 90}}, sort: {k: 1}, update: {$inc: {n: 1}}}",
      "{delete: 'c', deletes: [{q: {_id: 50, k: 50}, limit: 1}]",
      "{delete: 'c', deletes: [{q: {n: 5}, limit: 1}]",
  };
  for (const std::string& command : sent) {
    SCOPED_TRACE(command);
    server_.run("{drop: 'c'}");
    shard("{k: 1}");
    insert(0, 100);
    if (command.starts_with("{delete: 'c', deletes: [{q: {n: 5}")) server_.run("{update: 'c', updates: [{q: {k: 60}, u: {$set: {n: 5}}}]}");
    std::string open = command;
    if (open.back() == '}' && open.starts_with("{findAndModify")) open.pop_back();
    const std::string statement = open + retry + "1)}";
    const std::string first = server_.run(statement);
    ASSERT_NE(first.find("ok: 1.0"), std::string::npos) << first;
    const std::string after = server_.run("{find: 'c', sort: {_id: 1}, batchSize: 1000}");
    const auto expect_known = [&] {
      const std::string again = server_.run(statement);
      EXPECT_NE(again.find("retriedStmtId"), std::string::npos) << again;
      EXPECT_EQ(server_.run("{find: 'c', sort: {_id: 1}, batchSize: 1000}"), after);
    };
    EXPECT_EQ(admin("split: 'test.c', middle: {k: 40}"), "{ok: 1.0}");
    expect_known();
    EXPECT_EQ(admin("split: 'test.c', middle: {k: 70}"), "{ok: 1.0}");
    expect_known();
    server_.crash();
    expect_known();
    const auto go_on = [] { return Status(); };
    const Status settled = shards::settle_heritage(server_.server().store, now()->uuid, go_on);
    EXPECT_TRUE(settled.ok()) << settled.message();
    for (const auto& slot : now()->partitions) EXPECT_TRUE(slot.inherits.empty());
    expect_known();
    server_.crash();
    expect_known();
    EXPECT_EQ(admin("mergeChunks: 'test.c', bounds: [{k: {$minKey: 1}}, {k: {$maxKey: 1}}]"), "{ok: 1.0}");
    expect_known();
  }
}

}  // namespace
}  // namespace partita::test
