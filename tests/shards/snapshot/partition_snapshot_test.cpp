// SPDX-License-Identifier: GPL-3.0-or-later
//
// What an export holds is the state at its position, whatever writers do meanwhile; what an import makes of it, with the
// rest of the log, is the state at the end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "query/keys/encode.h"
#include "query/updates/diff.h"
#include "shards/router/record_keys.h"
#include "shards/sessions/retry_rows.h"
#include "shards/snapshot/partition_export.h"
#include "shards/snapshot/partition_import.h"
#include "shards/storage/fail_point.h"
#include "tests/support/random.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;
using Chunk = std::vector<std::uint8_t>;
using Rows = std::map<std::string, std::string>;

const Namespace kNs{"test", "things"};
constexpr std::int64_t kIds = 300;

std::string text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
Bytes bytes_of(const std::string& text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

bson::Document make_document(std::int64_t id, std::int64_t n) {
  return bson::Document::build([&](bson::Writer& out) {
    out.add("_id", id);
    out.add("n", n);
    out.add("filler", std::string(static_cast<std::size_t>(100 + id * 3), 'f'));
  });
}

class PartitionSnapshot : public testing::Test {
 protected:
  PartitionSnapshot() {
    fs::create_directories(root_);
    source_ = open("source");
    const bson::Document index = bson::Document::build([](bson::Writer& out) {
      out.document("key").add("n", 1);
      out.add("name", "n_1");
    });
    EXPECT_TRUE(source_->catalog().create_indexes(kNs, {index.view()}).ok());
  }
  ~PartitionSnapshot() override {
    source_.reset();
    target_.reset();
    fs::remove_all(root_);
  }
  std::unique_ptr<Store> open(const std::string& name) {
    StoreOptions options;
    options.checkpoint_after_replay = false;  // A copy of files that are being written is no crash.
    options.engine.path = root_ / name;
    options.engine.cache_bytes = 64 << 20;
    return std::move(Store::open(options, wall_)).value();
  }
  std::shared_ptr<const Collection> collection(Store& store) { return store.catalog().share()->share(kNs.full()); }
  const PartitionSlot& slot(Store& store) { return collection(store)->partitions[0]; }

  /// Inserts, changes or removes one document, as a retryable write.
  Status step(test::Random& random, const Uuid& session, std::int64_t transaction) {
    const auto id = static_cast<std::int64_t>(random.below(kIds));
    const bool removes = random.one_in(4);
    const auto n = static_cast<std::int64_t>(random.below(1000));
    return write(*source_, kNs, {}, [&](WriteAttempt& attempt) -> Status {
      bson::Buffer key;
      append_record_key_of_id(attempt.collection(), bson::Value::of(id), key);
      TRY(const PartitionSlot* slot, attempt.enter(key.bytes()));
      TRY(Cursor at, attempt.session().cursor(slot->partition->records()));
      TRY(const bool there, at.find(key.bytes()));
      if (!there) {
        CHECK_OK(attempt.unit().insert(*slot, key.bytes(), make_document(id, n)));
      } else {
        const bson::Document before(bson::View::trusted(at.value().data()));
        CHECK_OK(removes ? attempt.unit().remove(*slot, at, key.bytes(), before)
                         : attempt.unit().update(*slot, at, key.bytes(), before, make_document(id, n)));
      }
      const std::uint8_t outcome[] = {7};
      return attempt.unit().note_retry(slot->partition->id(), {session, 0, transaction, 0}, {0, 0, StatementKind::kUpdate, outcome});
    });
  }
  void write_for_a_while(std::uint64_t seed, int steps) {
    test::Random random(seed);
    const Uuid session = source_->random().uuid();
    for (int i = 0; i < steps; ++i) EXPECT_TRUE(step(random, session, i + 1).ok());
  }

  std::vector<Chunk> chunks_of(PartitionExport& from) {
    std::vector<Chunk> chunks;
    while (true) {
      const auto chunk = from.next();
      EXPECT_TRUE(chunk.ok()) << chunk.status().message();
      if (!chunk.ok() || !*chunk) return chunks;
      chunks.emplace_back((*chunk)->begin(), (*chunk)->end());
    }
  }
  /// From now on exports wait between their position and their reading.
  static FailPoint& pause_exports(int ms) {
    FailPoint& positioned = *FailPoint::find("readPointDrawn");
    positioned.set({.mode = FailPoint::Mode::kAlways,
                    .data = bson::Document::build([&](bson::Writer& to) { to.add("blockTimeMS", ms); })});
    return positioned;
  }
  std::unique_ptr<PartitionExport> begin_export(query::KeyRange range = {}) {
    return std::move(PartitionExport::begin(*source_, collection(*source_), slot(*source_), std::move(range))).value();
  }
  /// The documents in the chunks.
  static Rows rows_of(const std::vector<Chunk>& chunks) {
    Rows rows;
    for (const Chunk& chunk : chunks) {
      RecordReader reader = std::move(RecordReader::open(chunk)).value();
      while (const auto operation = *reader.next()) {
        if (operation->type == OperationType::kInsert) rows.emplace(text(operation->key), text(operation->image));
      }
    }
    return rows;
  }
  /// Calls `each` with every operation of the data log from `from` on, and with its record's time.
  void read_log(Sequence from, const std::function<void(const Operation&, Time)>& each) {
    const auto tail = std::move(source_->log(kDataLog).tail(from)).value();
    while (const auto record = *tail->next()) {
      RecordReader reader = std::move(RecordReader::open(*record)).value();
      if (reader.header().kind != RecordKind::kOperations) continue;
      while (const auto operation = *reader.next()) each(*operation, reader.header().commit_time);
    }
  }
  /// What the log says that there was at that time.
  Rows rows_at(Time time) {
    Rows rows;
    read_log(1, [&](const Operation& operation, Time commit) {
      if (commit > time || operation.collection == Uuid{}) return;
      std::string& row = rows[text(operation.key)];
      if (operation.type == OperationType::kUpdateDiff) {
        bson::Buffer after;
        EXPECT_TRUE(query::apply_diff(bson::View::trusted(bytes_of(row).data()), operation.image, after).ok());
        row = std::string(after.text());
      } else {
        row = text(operation.image);
      }
      if (operation.type == OperationType::kDelete) rows.erase(text(operation.key));
    });
    return rows;
  }
  PartitionImport begin_import() {
    if (target_ == nullptr) target_ = open("target");
    EXPECT_TRUE(target_->catalog().get_or_create(kNs).ok());
    return std::move(PartitionImport::begin(*target_, kNs)).value();
  }
  std::uint64_t hash(Store& store) {
    const SessionLease session = std::move(SessionLease::take(store.engine())).value();
    return std::move(measure_partition(*session, slot(store), store.tables().retry)).value().hash;
  }

  const fs::path root_ = fs::temp_directory_path() / ("partita-snapshot-" + std::to_string(::getpid()) + "-" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name());
  SystemWallClock wall_;
  std::unique_ptr<Store> source_;
  std::unique_ptr<Store> target_;
};

TEST_F(PartitionSnapshot, HoldsTheStateAtItsPositionAndGoesOnFromThere) {
  write_for_a_while(1, 200);
  FailPoint& positioned = pause_exports(20);  // Time for writers to come in between.
  std::vector<std::thread> writers;
  for (std::uint64_t seed = 2; seed < 5; ++seed) writers.emplace_back([this, seed] { write_for_a_while(seed, 3000); });
  std::vector<std::pair<Time, Rows>> seen;
  for (int i = 0; i < 4; ++i) {
    const auto early = begin_export();
    seen.emplace_back(early->time(), rows_of(chunks_of(*early)));
  }
  PartitionImport import = begin_import();
  const auto last = begin_export();
  const std::vector<Chunk> chunks = chunks_of(*last);
  seen.emplace_back(last->time(), rows_of(chunks));
  positioned.set({});
  for (std::thread& writer : writers) writer.join();
  for (const auto& [time, rows] : seen) EXPECT_EQ(rows, rows_at(time));

  for (const Chunk& chunk : chunks) ASSERT_TRUE(import.accept(chunk).ok());
  ASSERT_TRUE(import.check_complete().ok());
  EXPECT_EQ(import.next_sequence(), last->next_sequence());
  read_log(import.next_sequence(), [&](const Operation& operation, Time commit) {
    EXPECT_GT(commit, last->time());
    const Status status = import.follow(operation);
    EXPECT_TRUE(status.ok()) << status.message();
  });
  EXPECT_EQ(hash(*target_), hash(*source_));
  EXPECT_EQ(slot(*target_).partition->counters().total().bytes, slot(*source_).partition->counters().total().bytes);
}

TEST_F(PartitionSnapshot, FindsItsMomentHoweverLateItBeginsToRead) {
  FailPoint& positioned = pause_exports(500);  // The past is cut off several times meanwhile.
  std::jthread writer([this](const std::stop_token& stop) {
    for (std::uint64_t seed = 1; !stop.stop_requested(); ++seed) write_for_a_while(seed, 10);
  });
  const auto begun = PartitionExport::begin(*source_, collection(*source_), slot(*source_), {});
  positioned.set({});
  EXPECT_TRUE(begun.ok()) << begun.status().message();
}

TEST_F(PartitionSnapshot, TakesARangeOfThePartition) {
  write_for_a_while(1, 400);
  bson::Buffer lower;
  bson::Buffer upper;
  query::keys::encode(bson::Value::of(100), lower);
  query::keys::encode(bson::Value::of(200), upper);
  const auto part = begin_export({std::string(lower.text()), std::string(upper.text())});
  Rows expected = rows_at(part->time());
  std::erase_if(expected, [&](const auto& row) { return row.first < lower.text() || row.first >= upper.text(); });
  EXPECT_GT(expected.size(), 0u);
  EXPECT_EQ(rows_of(chunks_of(*part)), expected);
}

TEST_F(PartitionSnapshot, AnImportSurvivesACrashAndARetriedStatementKeepsItsOutcome) {
  write_for_a_while(1, 100);
  const Uuid session = source_->random().uuid();
  test::Random random(9);
  ASSERT_TRUE(step(random, session, 5).ok());
  PartitionImport import = begin_import();
  const auto from = begin_export();
  for (const Chunk& chunk : chunks_of(*from)) ASSERT_TRUE(import.accept(chunk).ok());
  fs::copy(root_ / "target", root_ / "crashed", fs::copy_options::recursive);
  target_ = open("crashed");
  EXPECT_EQ(hash(*target_), hash(*source_));
  const StatementId id{session, 0, 5, 0};
  const SessionLease lease = std::move(SessionLease::take(target_->engine())).value();
  const auto earlier = find_statement(*lease, target_->tables().retry, slot(*target_).partition->id(), id);
  ASSERT_TRUE(earlier.ok()) << earlier.status().message();
  EXPECT_TRUE(earlier->done.has_value());
}

TEST_F(PartitionSnapshot, RefusesWhatIsDamagedMissingOrOutOfPlace) {
  write_for_a_while(1, 1500);
  const auto from = begin_export();
  const std::vector<Chunk> chunks = chunks_of(*from);
  ASSERT_GE(chunks.size(), 3u);
  PartitionImport import = begin_import();
  EXPECT_EQ(import.accept(chunks[1]).code(), Code::DataModifiedByRepair);  // The first is missing.
  ASSERT_TRUE(import.accept(chunks[0]).ok());
  EXPECT_EQ(import.accept(chunks[0]).code(), Code::DataModifiedByRepair);
  EXPECT_EQ(import.accept(chunks[2]).code(), Code::DataModifiedByRepair);
  Chunk damaged = chunks[1];
  damaged[damaged.size() / 2] ^= 1;
  EXPECT_EQ(import.accept(damaged).code(), Code::DataModifiedByRepair);
  EXPECT_EQ(slot(*target_).partition->counters().total().documents, 0);
  ASSERT_TRUE(import.accept(chunks[1]).ok());
  EXPECT_EQ(import.check_complete().code(), Code::DataModifiedByRepair);  // It ends in the middle.
  EXPECT_EQ(PartitionImport::begin(*target_, kNs).status().code(), Code::IllegalOperation);
}

}  // namespace
}  // namespace partita::shards
