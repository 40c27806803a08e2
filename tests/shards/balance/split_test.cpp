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

// A statement that was done before a split is found behind it: in the parts, in parts of the parts, after a restart, and
// after its rows have become the parts' own.
TEST_F(SplitTest, KnowsEarlierStatements) {
  shard("{k: 1}");
  fill(0, 200);
  const std::string low = key_of(10);
  const std::string high = key_of(190);
  const StatementId first = statement(1, 0);
  const StatementId far = statement(1, 70);
  const StatementId other = statement(4, 3, 9);
  ASSERT_TRUE(note(bytes_of(low), first).ok());
  ASSERT_TRUE(note(bytes_of(high), far).ok());
  const auto home = home_key(other);
  ASSERT_TRUE(note(home, other).ok());
  const auto expect_all_known = [&] {
    EXPECT_TRUE(is_known(bytes_of(low), first));
    EXPECT_TRUE(is_known(bytes_of(high), far));
    EXPECT_TRUE(is_known(home_key(other), other));
    EXPECT_FALSE(is_known(bytes_of(low), statement(1, 5)));
  };
  const PartitionId parent = id_at(0);
  ASSERT_TRUE(split(0).ok());
  expect_all_known();
  crash();
  expect_all_known();
  const StatementId later = statement(1, 1);
  ASSERT_TRUE(note(bytes_of(high), later).ok());
  ASSERT_TRUE(split(1).ok());
  expect_all_known();
  EXPECT_TRUE(is_known(bytes_of(high), later));
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  for (const PartitionSlot& slot : now()->partitions) EXPECT_TRUE(slot.inherits.empty());
  EXPECT_FALSE(retry_rows().contains(parent));
  expect_all_known();
  EXPECT_TRUE(is_known(bytes_of(high), later));
  crash();
  expect_all_known();
  ASSERT_TRUE(merge(0, 2).ok());
  expect_all_known();
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  expect_all_known();
  EXPECT_EQ(retry_rows().size(), 1u);
  // The session has gone on, and nothing brings back what lies behind it.
  ASSERT_TRUE(note(bytes_of(low), statement(2, 0)).ok());
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  EXPECT_EQ(find_statement(*session, store_->tables().retry, now()->partitions[0], first).status().code(), Code::TransactionTooOld);
}

// A copy that is broken off is begun again, and adds nothing twice.
TEST_F(SplitTest, BeginsABrokenCopyAgain) {
  shard("{k: 1}");
  fill(0, 20);
  for (std::uint8_t session = 0; session < 250; ++session) ASSERT_TRUE(note(bytes_of(key_of(3)), statement(1, 0, session)).ok());
  ASSERT_TRUE(split(0).ok());
  FailPoint& copied = *FailPoint::find("heritageRowsCopied");
  copied.set({.mode = FailPoint::Mode::kTimes, .count = 1, .data = bson::parse_json("{errorCode: 264}").value()});
  EXPECT_FALSE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  crash();
  const auto end = store_->log(kDataLog).end();
  ASSERT_TRUE(settle_heritage(*store_, now()->uuid, [] { return Status(); }).ok());
  EXPECT_GT(store_->log(kDataLog).end(), end);
  for (const auto& [partition, rows] : retry_rows()) EXPECT_EQ(rows, 250);
  for (std::uint8_t session = 0; session < 250; ++session) EXPECT_TRUE(is_known(bytes_of(key_of(3)), statement(1, 0, session)));
  const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
  Cursor rows = std::move(session->cursor(store_->tables().retry)).value();
  while (*rows.next()) {
    RetryRow row = std::move(RetryRow::open(rows.value())).value();
    int statements = 0;
    while (*row.next()) ++statements;
    EXPECT_EQ(statements, 1);
  }
}

TEST_F(SplitTest, DropTakesInheritedRowsAlong) {
  shard("{k: 1}");
  fill(0, 20);
  ASSERT_TRUE(note(bytes_of(key_of(3)), statement(1, 0)).ok());
  ASSERT_TRUE(split(0).ok());
  EXPECT_EQ(retry_rows().size(), 1u);
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  EXPECT_TRUE(retry_rows().empty());
  crash();
  EXPECT_TRUE(retry_rows().empty());
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

TEST_F(SplitTest, DividesOneKeyByIdWhereThatIsChosen) {
  shard("{k: 'hashed'}", 1, true);
  fill(0, 400, 1000);
  const auto before = sound_contents();
  const Growth all = now()->size();
  ASSERT_TRUE(split(0).ok());
  for (const PartitionSlot& slot : now()->partitions) {
    EXPECT_NEAR(static_cast<double>(slot.partition->counters().total().bytes), static_cast<double>(all.bytes) / 2, 200);
  }
  EXPECT_EQ(now()->partitions[1].min, key_of(200, 1000));
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(split(2, key_of(390, 1000)).ok());
  EXPECT_EQ(sound_contents(), before);
  for (const int id : {0, 99, 100, 200, 389, 390}) {
    EXPECT_EQ(insert(detail::join("{_id: ", id, ", k: 0}")).code(), Code::DuplicateKey);
    EXPECT_EQ(now()->slot_of(bytes_of(key_of(id, 1000))), id < 100 ? 0u : id < 200 ? 1u : id < 390 ? 2u : 3u);
  }
  crash();
  EXPECT_EQ(now()->partitions.size(), 4u);
  EXPECT_EQ(sound_contents(), before);
  ASSERT_TRUE(merge(1, 2).ok());
  EXPECT_EQ(sound_contents(), before);
  fill(1000, 1400, 1000);  // Another key, behind the last bound or before the first.
  ASSERT_TRUE(merge(0, 2).ok());
  ASSERT_TRUE(split(0).ok());
  EXPECT_FALSE(now()->sharding->key.parts_logical_key(now()->partitions[1].min)) << "keys are divided only where nothing else is left";
  EXPECT_EQ(sound_contents().size(), 800u);
}

// What shares tables after that moves out, and rows of one key lie in several then.
TEST_F(SplitTest, PartsOfOneKeyMoveOutAndAreMergedAgain) {
  shard("{k: 1}", 1, true);
  fill(0, 200, 1000);
  const auto before = sound_contents();
  ASSERT_TRUE(split(0).ok());
  ASSERT_TRUE(store_->catalog().copy_partitions(*now(), {{0, 1}, {1, 2}}).ok());
  EXPECT_NE(now()->partitions[0].partition->segment(), now()->partitions[1].partition->segment());
  EXPECT_EQ(sound_contents(), before);
  crash();
  EXPECT_EQ(sound_contents(), before);
  EXPECT_EQ(insert("{_id: 150, k: 0}").code(), Code::DuplicateKey);
  ASSERT_TRUE(merge(0, 1).ok());
  EXPECT_EQ(sound_contents(), before);
  EXPECT_EQ(now()->partitions.size(), 1u);
}

TEST_F(SplitTest, DividesNoKeyUnlessThatIsChosen) {
  shard("{k: 1}");
  fill(0, 100, 1000);
  EXPECT_EQ(split(0, key_of(50, 1000)).status().code(), Code::BadValue);
  EXPECT_EQ(split(0).status().code(), Code::CannotSplit);
  // The balancer has found that out too, and hears of the choice.
  balance_->partition_bytes = 4'000;
  balance_->splits = true;
  const auto rounds = store_->balancer().figures().rounds;
  while (store_->balancer().figures().rounds < rounds + 5) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  ASSERT_TRUE(store_->catalog().alter_sharding(kNs, [](Sharding& sharding) { sharding.split_logical = true; }).ok());
  for (int i = 0; i < 500 && now()->partitions.size() < 4; ++i) std::this_thread::sleep_for(10ms);
  EXPECT_GE(now()->partitions.size(), 4u);
  balance_->splits = false;
  EXPECT_EQ(sound_contents().size(), 100u);
}

TEST_F(SplitTest, KeepsPartsOfOneKeySized) {
  shard("{k: 1}", 1, true);
  balance_->partition_bytes = 8'000;
  balance_->heritage_age_ms = 0;
  balance_->splits = true;
  fill(0, 600, 1000);
  const auto limit_kept = [&] {
    return std::ranges::all_of(now()->partitions, [](const auto& slot) { return slot.partition->counters().total().bytes < 8'000; });
  };
  for (int i = 0; i < 500 && !limit_kept(); ++i) std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(limit_kept());
  const std::size_t partitions = now()->partitions.size();
  EXPECT_GE(partitions, 12u);
  EXPECT_EQ(sound_contents().size(), 600u);
  // The sizes of what they hold of the key are known without counting.
  for (const PartitionSlot& slot : now()->partitions) {
    const std::string logical = key_of(0, 1000).substr(0, now()->sharding->key.logical_size(bytes_of(key_of(0, 1000))));
    const auto known = slot.partition->activity().bound(hash_of_key(bytes_of(logical)), bytes_of(logical));
    EXPECT_GE(known.weight, slot.partition->counters().total().bytes);
  }
}

// A document that is larger than a partition shall be is looked at once, not again and again.
TEST_F(SplitTest, DoesNotSpinOnOneDocument) {
  shard("{k: 1}", 1, true);
  balance_->partition_bytes = 1'000;
  ASSERT_TRUE(insert(detail::join("{_id: 1, k: 1, f: '", std::string(5'000, 'x'), "'}")).ok());
  balance_->splits = true;
  const auto before = store_->balancer().figures().rounds;
  const auto end = store_->log(kCatalogLog).end();
  while (store_->balancer().figures().rounds < before + 20) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  EXPECT_EQ(store_->log(kCatalogLog).end(), end);
}

TEST_F(SplitTest, KeepsPartitionsSizedOfItsOwnAccord) {
  shard("{k: 'hashed'}", 2);
  balance_->partition_bytes = 8'000;
  balance_->heritage_age_ms = 0;
  balance_->splits = true;
  fill(0, 1000);
  const auto limit_kept = [&] {
    return std::ranges::all_of(now()->partitions, [](const auto& slot) { return slot.partition->counters().total().bytes < 8'000; });
  };
  for (int i = 0; i < 500 && !limit_kept(); ++i) std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(limit_kept());
  const std::size_t partitions = now()->partitions.size();
  EXPECT_GE(partitions, 20u);
  EXPECT_EQ(sound_contents().size(), 1000u);
  // What is small stays, until it is so for long enough; then no more partitions are left than there were at first.
  for (int id = 0; id < 1000; ++id) ASSERT_TRUE(write(*store_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
    const std::string key = key_of(id);
    TRY(const PartitionSlot* slot, attempt.enter(bytes_of(key)));
    TRY(Cursor rows, attempt.session().cursor(slot->partition->records()));
    TRY(const bool there, rows.find(bytes_of(key)));
    if (!there) return error(Code::NoSuchKey, "none");
    return attempt.unit().remove(*slot, rows, bytes_of(key), bson::Document(bson::View::trusted(rows.value().data())));
  }).ok());
  balance_->merges = true;
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(now()->partitions.size(), partitions);
  balance_->merge_age_ms = 0;
  for (int i = 0; i < 500 && now()->partitions.size() > 2; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(now()->partitions.size(), 2u);
  EXPECT_TRUE(sound_contents().empty());
}

TEST_F(SplitTest, DoesNotSpinOnOneLogicalKey) {
  shard("{k: 1}");
  balance_->partition_bytes = 1'000;
  fill(0, 100, 1000);
  balance_->splits = true;
  const auto before = store_->balancer().figures().rounds;
  const auto end = store_->log(kCatalogLog).end();
  while (store_->balancer().figures().rounds < before + 20) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  EXPECT_EQ(store_->log(kCatalogLog).end(), end);
  fill(1000, 1030, 1000);  // A second key, and a quarter more.
  for (int i = 0; i < 200 && now()->partitions.size() < 2; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_EQ(now()->partitions.size(), 2u);
}

TEST_F(SplitTest, StandsStillWhileItIsToldTo) {
  shard("{k: 1}");
  ASSERT_TRUE(store_->balancer().set_active(false).ok());
  balance_->partition_bytes = 1'000;
  balance_->splits = true;
  fill(0, 100);
  const auto before = store_->balancer().figures().rounds;
  while (store_->balancer().figures().rounds < before + 5) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(now()->partitions.size(), 1u);
  crash();
  EXPECT_FALSE(store_->balancer().active());
  ASSERT_TRUE(split(0).ok());  // By hand.
  ASSERT_TRUE(store_->balancer().set_active(true).ok());
  for (int i = 0; i < 200 && now()->partitions.size() < 10; ++i) std::this_thread::sleep_for(20ms);
  EXPECT_GE(now()->partitions.size(), 10u);
  EXPECT_EQ(sound_contents().size(), 100u);
}

}  // namespace
}  // namespace partita::shards
