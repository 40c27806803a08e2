// SPDX-License-Identifier: GPL-3.0-or-later
//
// Partitions divided and put together: what they hold, what they know of statements, and what goes on meanwhile.
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "tests/shards/balance/balance_fixture.h"
#include "tests/support/random.h"

namespace partita::shards {
namespace {

using namespace std::chrono_literals;
using test::Random;

class SplitTest : public BalanceTest {
 protected:
  SplitTest() { open("store"); }

  static void slow_down(std::string_view point, int ms) {
    FailPoint::find(point)->set({.mode = FailPoint::Mode::kAlways,
                                 .data = bson::Document::build([&](bson::Writer& to) { to.add("blockTimeMS", ms); })});
  }
};

TEST_F(SplitTest, HalvesTheBytesAndKeepsEverything) {
  shard("{k: 1}");
  fill(0, 400);
  const auto before = sound_contents();
  const Growth all = now()->size();
  const auto outcome = split(0);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  ASSERT_EQ(now()->partitions.size(), 2u);
  EXPECT_EQ(sound_contents(), before);
  EXPECT_EQ(now()->size().documents, all.documents);
  EXPECT_EQ(now()->size().bytes, all.bytes);
  EXPECT_EQ(now()->partitions[0].partition->segment(), now()->partitions[1].partition->segment());
  for (const PartitionSlot& slot : now()->partitions) {
    EXPECT_NEAR(static_cast<double>(slot.partition->counters().total().bytes), static_cast<double>(all.bytes) / 2, 200);
  }
  fill(400, 420);
  ASSERT_TRUE(split(1).ok());
  for (const int id : {0, 199, 200, 399, 419}) EXPECT_EQ(insert(detail::join("{_id: ", id, ", k: ", id, "}")).code(), Code::DuplicateKey);
  const auto after = sound_contents();
  crash();
  EXPECT_EQ(now()->partitions.size(), 3u);
  EXPECT_EQ(sound_contents(), after);
  ASSERT_TRUE(store_->checkpoint().ok());
  fill(420, 430);
  crash();
  EXPECT_EQ(sound_contents().size(), 430u);
}

TEST_F(SplitTest, CutsAtAHashWhereHashesComeFirst) {
  shard("{k: 'hashed'}", 2);
  fill(0, 300);
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(split(2).ok());
  EXPECT_EQ(now()->partitions[1].min.size(), 8u);
  EXPECT_EQ(sound_contents(), before);
}

// One hash, and many keys behind it: a tenant that is large all by itself.
TEST_F(SplitTest, CutsBetweenKeysOfOneHash) {
  shard("{t: 'hashed', k: 1}");
  fill(0, 300);  // None has t.
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  EXPECT_NEAR(static_cast<double>(now()->partitions[0].partition->counters().total().documents), 150, 2);
  EXPECT_EQ(sound_contents(), before);
}

TEST_F(SplitTest, PartsNoLogicalKey) {
  shard("{k: 1}");
  fill(0, 300, 100);  // Three keys of a hundred documents.
  ASSERT_TRUE(split(0).ok());
  const auto count = [&](std::size_t place) { return now()->partitions[place].partition->counters().total().documents; };
  EXPECT_EQ(std::min(count(0), count(1)), 100);
  const std::size_t larger = count(0) > count(1) ? 0 : 1;
  const auto again = split(1 - larger);
  EXPECT_EQ(again.status().code(), Code::CannotSplit);
  ASSERT_TRUE(split(larger).ok());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(split(i).status().code(), Code::CannotSplit);
  EXPECT_TRUE(store_->catalog().settled() != nullptr);
  EXPECT_EQ(sound_contents().size(), 300u);
}

TEST_F(SplitTest, CutsWhereItIsTold) {
  shard("{k: 1}");
  fill(0, 100);
  const std::string record_key = key_of(30);
  const std::string at = record_key.substr(0, now()->sharding->key.logical_size(bytes_of(record_key)));
  const auto preview = store_->balancer().split(kNs, id_at(0), at, Balancer::Manner::kPreview, {});
  ASSERT_TRUE(preview.ok()) << preview.status().message();
  EXPECT_EQ(preview->parts[0].size.documents, 30);
  EXPECT_EQ(preview->parts[1].size.documents, 70);
  EXPECT_EQ(now()->partitions.size(), 1u);
  ASSERT_TRUE(split(0, at).ok());
  EXPECT_EQ(now()->partitions[0].partition->counters().total().documents, 30);
  EXPECT_EQ(split(0, at).status().code(), Code::BadValue);
  EXPECT_EQ(sound_contents().size(), 100u);
}

TEST_F(SplitTest, CountsWhatWritersDoMeanwhile) {
  shard("{_id: 'hashed'}");
  for (int id = 0; id < 2000; ++id) ASSERT_TRUE(insert(detail::join("{_id: ", id, ", v: 'first'}")).ok());
  slow_down("splitWalked", 0);
  slow_down("splitCutFound", 3);
  slow_down("splitClosed", 2);
  std::atomic<bool> stop{false};
  std::vector<std::thread> writers;
  for (int w = 0; w < 3; ++w) {
    writers.emplace_back([&, w] {
      Random random(static_cast<std::uint64_t>(w) + 3);
      for (int fresh = 1'000'000 * (w + 1); !stop; ++fresh) {
        const int id = static_cast<int>(random.below(600)) * 3 + w;
        const Status inserted = insert(detail::join("{_id: ", fresh, ", v: 'new'}"));
        EXPECT_TRUE(inserted.ok()) << inserted.message();
        const std::string text(random.below(80), 'y');
        const Status changed = change(id, random.one_in(5) ? "" : detail::join("{_id: ", id, ", v: '", text, "'}"));
        EXPECT_TRUE(changed.ok() || changed.code() == Code::NoSuchKey) << changed.message();
        std::this_thread::sleep_for(100us);  // Stretches this short are slow.
      }
    });
  }
  Random random(1);
  for (int round = 0; round < 25; ++round) {
    const std::size_t partitions = now()->partitions.size();
    if (partitions > 4 && random.one_in(2)) {
      const std::size_t first = random.below(partitions - 1);
      const auto merged = merge(first, first + 1);
      EXPECT_TRUE(merged.ok()) << merged.status().message();
    } else {
      const auto outcome = split(random.below(partitions));
      EXPECT_TRUE(outcome.ok()) << outcome.status().message();
    }
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  const auto contents = sound_contents();
  crash();
  EXPECT_EQ(sound_contents(), contents);
}

TEST_F(SplitTest, MergesNeighboursOfOneSegment) {
  shard("{k: 1}");
  fill(0, 200);
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(split(2).ok());
  const auto outcome = merge(1, 3);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_EQ(sound_contents(), before);
  crash();
  EXPECT_EQ(sound_contents(), before);
  ASSERT_TRUE(merge(0, 1).ok());
  EXPECT_EQ(sound_contents(), before);
}

TEST_F(SplitTest, MergesAcrossSegmentsByCopying) {
  shard("{k: 'hashed'}", 3);
  fill(0, 60);
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  const auto outcome = merge(1, 2);
  ASSERT_TRUE(outcome.ok()) << outcome.status().message();
  EXPECT_EQ(now()->partitions.size(), 3u);
  EXPECT_EQ(outcome->parts[0].partition, id_at(1));
  EXPECT_EQ(sound_contents(), before);
  crash();
  EXPECT_EQ(sound_contents(), before);
}

TEST_F(SplitTest, RefusesToMergeWhatAreNoNeighbours) {
  shard("{k: 'hashed'}", 2);
  fill(0, 20);
  const auto strangers = store_->balancer().merge(kNs, {id_at(1), id_at(0)}, Balancer::Manner::kRun, {});
  EXPECT_EQ(strangers.status().code(), Code::BadValue);
  EXPECT_EQ(sound_contents().size(), 20u);
}

TEST_F(SplitTest, GivesWayToOtherChanges) {
  shard("{k: 1}");
  fill(0, 400);
  slow_down("splitPlanned", 200);
  auto under_way = std::async(std::launch::async, [&] { return split(0).status(); });
  std::this_thread::sleep_for(50ms);
  const bson::Document definition = bson::parse_json("{key: {f: 1}, name: 'f_1'}").value();
  ASSERT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok());
  const Status status = under_way.get();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_EQ(now()->indexes.size(), 2u);  // With that of _id.
  EXPECT_EQ(sound_contents().size(), 400u);
  auto second = std::async(std::launch::async, [&] { return split(0).status(); });
  std::this_thread::sleep_for(50ms);
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_FALSE(second.get().ok());
  EXPECT_EQ(now(), nullptr);
  crash();
  EXPECT_EQ(now(), nullptr);
}

TEST_F(SplitTest, OneAfterTheOther) {
  shard("{k: 1}");
  fill(0, 400);
  slow_down("splitPlanned", 50);
  std::vector<std::future<Status>> splits;
  const PartitionId parent = id_at(0);
  for (int i = 0; i < 3; ++i) {
    splits.push_back(std::async(std::launch::async, [&] {
      return store_->balancer().split(kNs, parent, {}, Balancer::Manner::kRun, {}).status();
    }));
  }
  int done = 0;
  for (auto& one : splits) done += one.get().ok() ? 1 : 0;
  EXPECT_EQ(done, 1);
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_EQ(sound_contents().size(), 400u);
}

// Scans rest between batches while the map changes under them, and meet every document that stays, once; within one logical
// key too.
class LivingScans : public SplitTest, public testing::WithParamInterface<bool> {};

TEST_P(LivingScans, LiveThroughSplitsAndMerges) {
  shard("{k: 1}", 1, GetParam());
  fill(0, 600, GetParam() ? 600 : 1);
  const bson::Document definition = bson::parse_json("{key: {f: 1}, name: 'f_1'}").value();
  ASSERT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok());
  for (unsigned seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const bool by_index = seed % 2 == 1;
    ScanOrder order;
    order.backward = seed % 4 >= 2;
    if (by_index) order.index = now()->indexes[1]->name == "f_1" ? now()->indexes[1] : now()->indexes[0];
    CollectionScan scan(*store_, now(), order);
    std::map<int, int> met;
    while (!scan.exhausted()) {
      ASSERT_TRUE(scan.resume().ok());
      for (std::uint64_t left = random.below(60); left > 0; --left) {
        const Result<bool> more = scan.next();
        ASSERT_TRUE(more.ok());
        if (!*more) break;
        ++met[static_cast<int>(scan.document()->operator[]("_id").as_int32())];
      }
      scan.suspend();
      const std::size_t partitions = now()->partitions.size();
      if (partitions > 3 && random.one_in(2)) {
        const std::size_t first = random.below(partitions - 1);
        ASSERT_TRUE(merge(first, first + 1).ok());
      } else {
        ASSERT_TRUE(split(random.below(partitions)).ok());
      }
    }
    ASSERT_EQ(met.size(), 600u) << "seed " << seed;
    for (const auto& [id, times] : met) ASSERT_EQ(times, 1) << "seed " << seed << " document " << id;
  }
}

INSTANTIATE_TEST_SUITE_P(OfOneKey, LivingScans, testing::Bool());

}  // namespace
}  // namespace partita::shards
