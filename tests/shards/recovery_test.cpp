// SPDX-License-Identifier: GPL-3.0-or-later
//
// Starts on what is not as it should be: logs with gaps, failed checkpoints, directories of other versions and other
// programs, files that nobody knows.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "shards/data_directory.h"
#include "shards/log/fence.h"
#include "shards/log/log_file.h"
#include "shards/log/write_unit.h"
#include "shards/storage/fail_point.h"
#include "shards/storage/repeated.h"
#include "tests/shards/store_fixture.h"
#include "wire/log/log.h"

namespace partita::shards {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

bson::Document json(const std::string& text) { return bson::parse_json(text).value(); }

class RecoveryTest : public StoreTest {
 protected:
  ~RecoveryTest() override {
    for (FailPoint* point : FailPoint::all()) point->set({});
  }
  /// All headers of the data log, from its first record on.
  std::vector<RecordHeader> headers() {
    std::vector<RecordHeader> headers;
    const std::unique_ptr<LogTail> tail = std::move(store_->log(kDataLog).tail(1)).value();
    while (const std::optional<Bytes> record = *tail->next()) headers.push_back(*read_header(*record));
    return headers;
  }
  /// True when a reader of the log gets from its first record to its end.
  bool fence_admits_all() {
    Fence fence;
    for (const RecordHeader& header : headers())
      if (!fence.admit(header)) return false;
    return true;
  }
  /// Takes a record of the data log out of its file, as damage would.
  void lose_record(const std::string& directory, Sequence sequence) {
    for (const auto& entry : fs::directory_iterator(root_ / directory / "log")) {
      const std::shared_ptr<LogFile> log = std::move(LogFile::open(entry.path())).value();
      FrameReader reader(log, log->first());
      while (const auto found = *reader.read()) {
        const RecordHeader header = *read_header(found->record);
        if (header.log == kDataLog && header.sequence == sequence) {
          std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
          file.seekp(static_cast<std::streamoff>(reader.at() - log->header().base));
          file << std::string(Frame::kHeaderSize, '\0');
          return;
        }
        reader.step_over(found->frame);
      }
    }
    FAIL() << "no record " << sequence;
  }
  void put_catalog_row(std::string_view key, const std::string& row) {
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    WriteUnit unit(*store_, *session);
    ASSERT_TRUE(unit.begin(RecordKind::kCatalog, kCatalogLog).ok());
    ASSERT_TRUE(unit.put_catalog_row(key, json(row)).ok());
    ASSERT_TRUE(unit.commit().ok());
  }
  void put_file(const std::string& directory, const std::string& name) {
    fs::create_directories(root_ / directory);
    std::ofstream(root_ / directory / name) << "whatever";
  }
  std::size_t state_rows() {
    const SessionLease session = std::move(SessionLease::take(store_->engine())).value();
    Cursor rows = std::move(session->cursor(store_->state_table())).value();
    std::size_t count = 0;
    while (*rows.next()) ++count;
    return count;
  }
  static int lines_with(std::string_view text) {
    int count = 0;
    for (const std::string& line : log::recent().lines) count += line.find(text) != std::string::npos;
    return count;
  }
};

TEST_F(RecoveryTest, FillsAPositionThatWasTakenAndNeverWritten) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  FailPoint& before_write = *FailPoint::find("logBeforeWrite");
  before_write.set({.mode = FailPoint::Mode::kTimes, .count = 1, .data = json("{blockTimeMS: 2000}")});
  const std::int64_t fired = before_write.fired();
  std::jthread slow([&] { EXPECT_TRUE(insert("{_id: 2}").ok()); });
  while (before_write.fired() == fired) std::this_thread::yield();
  ASSERT_TRUE(insert("{_id: 3}").ok());
  const std::string killed = copy();
  slow.join();
  store_.reset();

  open(killed);
  EXPECT_THAT(contents(), ElementsAre(R"({"_id":1})", R"({"_id":3})"));
  EXPECT_TRUE(fence_admits_all());
  EXPECT_EQ(std::ranges::count(headers(), RecordKind::kVoid, &RecordHeader::kind), 1);
  ASSERT_TRUE(insert("{_id: 4}").ok());
  crash();
  EXPECT_THAT(contents(), ElementsAre(R"({"_id":1})", R"({"_id":3})", R"({"_id":4})"));
  EXPECT_TRUE(fence_admits_all());
}

/// A checkpoint while a new index is in the log and not shown yet. Its bits are nowhere but in the saved state.
TEST_F(RecoveryTest, KeepsWhatANewIndexKnowsOfArrays) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1, a: [1, 2]}").ok());
  FailPoint& in_the_log = *FailPoint::find("catalogRecordCommitted");
  in_the_log.set({.mode = FailPoint::Mode::kTimes, .count = 1, .data = json("{blockTimeMS: 300}")});
  const std::int64_t fired = in_the_log.fired();
  const bson::Document definition = json("{key: {a: 1}, name: 'a'}");
  std::jthread building([&] { EXPECT_TRUE(store_->catalog().create_indexes(kNs, {definition.view()}).ok()); });
  while (in_the_log.fired() == fired) std::this_thread::yield();
  ASSERT_TRUE(store_->checkpoint().ok());
  building.join();
  crash();
  ASSERT_EQ(collection()->partitions[0].indexes.size(), 1u);
  EXPECT_NE(collection()->partitions[0].indexes[0]->multikey.load(), 0u);
}

TEST_F(RecoveryTest, RefusesALogThatHasLostWhatWasOnTheDisk) {
  open("a");
  for (int id = 1; id <= 3; ++id) ASSERT_TRUE(insert("{_id: " + std::to_string(id) + "}").ok());
  store_->sync_log();
  ASSERT_TRUE(insert("{_id: 4}").ok());  // Says how much was on the disk.
  const Sequence lost = headers()[headers().size() - 3].sequence;
  const std::string damaged = copy();
  store_.reset();
  lose_record(damaged, lost);
  const Status opened = try_open(damaged);
  EXPECT_EQ(opened.code(), Code::DataModifiedByRepair);
  EXPECT_THAT(opened.message(), HasSubstr("a record is missing that had committed"));
}

TEST_F(RecoveryTest, EndsBeforeWhatAPowerCutHasTaken) {
  open("a");
  for (int id = 1; id <= 4; ++id) ASSERT_TRUE(insert("{_id: " + std::to_string(id) + "}").ok());
  const Sequence lost = headers()[headers().size() - 2].sequence;
  const std::string torn = copy();
  store_.reset();
  lose_record(torn, lost);
  open(torn);
  EXPECT_THAT(contents(), ElementsAre(R"({"_id":1})", R"({"_id":2})"));
  EXPECT_TRUE(fence_admits_all());
}

TEST_F(RecoveryTest, CutsTheLogOffAcrossRestarts) {
  options_.log_retention_bytes = 100'000;
  options_.log_file_bytes = 20'000;
  open("a");
  for (int round = 0; round < 8; ++round) {
    const std::string text(30'000, 'x');
    ASSERT_TRUE(insert("{_id: " + std::to_string(round) + ", text: '" + text + "'}").ok());
    ASSERT_TRUE(store_->checkpoint().ok());
    crash();
  }
  EXPECT_GT(headers().front().sequence, 4u);
  std::size_t documents = 0;
  for (const RecordHeader& header : headers()) documents += header.body_size > 30'000;
  EXPECT_GE(documents, 3u) << "as much as was asked for stays";
}

TEST_F(RecoveryTest, ForgetsTheCountsOfWhatIsDropped) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  const std::size_t with = state_rows();
  ASSERT_TRUE(store_->catalog().drop(kNs).ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  EXPECT_EQ(state_rows(), with - 2);  // Of the partition and of its segment.
}

TEST_F(RecoveryTest, TellsOnceThatCheckpointsFailAndOnceThatTheyWorkAgain) {
  open("a");
  const int failures = lines_with("Failed, and will be tried again");
  const int cures = lines_with("Works again");
  FailPoint& drawn = *FailPoint::find("checkpointBoundary");
  drawn.set({.mode = FailPoint::Mode::kAlways, .data = json("{errorCode: 14031}")});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(store_->checkpoint().code(), Code::OutOfDiskSpace);
  EXPECT_EQ(lines_with("Failed, and will be tried again"), failures + 1);
  EXPECT_EQ(store_->checkpoints().failed(), 3);
  drawn.set({});
  EXPECT_TRUE(store_->checkpoint().ok());
  EXPECT_TRUE(store_->checkpoint().ok());
  EXPECT_EQ(lines_with("Works again"), cures + 1);
  EXPECT_EQ(store_->checkpoints().done(), 2);
}

constexpr const char* kLaterMeta = "{format: 3, nextPartition: {$numberLong: '9'}, cluster: {$oid: '0123456789abcdef01234567'}}";

TEST_F(RecoveryTest, RefusesALaterFormatInACheckpoint) {
  open("a");
  put_catalog_row("M", kLaterMeta);
  ASSERT_TRUE(store_->checkpoint().ok());
  const std::string later = copy();
  store_.reset();
  const Status opened = try_open(later);
  EXPECT_EQ(opened.code(), Code::FileOpenFailed);
  EXPECT_THAT(opened.message(), HasSubstr("the data directory has format 3"));
}

TEST_F(RecoveryTest, RefusesALaterFormatInTheLog) {
  open("a");
  put_catalog_row("M", kLaterMeta);
  const std::string later = copy();
  store_.reset();
  EXPECT_EQ(try_open(later).code(), Code::FileOpenFailed);
}

TEST_F(RecoveryTest, RefusesARowOfAnUnknownKind) {
  open("a");
  put_catalog_row("Sname", "{value: 1}");
  const std::string later = copy();
  store_.reset();
  const Status opened = try_open(later);
  EXPECT_EQ(opened.code(), Code::FileOpenFailed);
  EXPECT_THAT(opened.message(), HasSubstr("a row of kind 'S'"));
}

TEST_F(RecoveryTest, RefusesTheDataOfOthers) {
  put_file("mongod", "storage.bson");
  EXPECT_THAT(try_open("mongod").message(), HasSubstr("holds the data of a mongod"));
  put_file("other", "collection-0--1234.wt");
  EXPECT_THAT(try_open("other").message(), HasSubstr("a table that is not ours: collection-0--1234.wt"));
  put_file("torn", "p1-records.wt");
  EXPECT_THAT(try_open("torn").message(), HasSubstr("WiredTiger, without which they cannot be read, is missing"));
  for (const char* directory : {"mongod", "other", "torn"}) {
    EXPECT_EQ(std::distance(fs::directory_iterator(root_ / directory), {}), 1) << directory << " was touched";
  }
}

TEST_F(RecoveryTest, RefusesALogInATable) {
  put_file("before", "log.wt");
  EXPECT_THAT(try_open("before").message(), HasSubstr("keeps its log in a table (log.wt), as versions before this one did"));
}

TEST_F(RecoveryTest, RefusesADamagedDirectory) {
  for (const char* name : {"WiredTiger", "WiredTiger.wt", "WiredTiger.turtle"}) put_file("junk", name);
  EXPECT_THAT(try_open("junk").message(), HasSubstr("junk is damaged or not ours"));
}

TEST_F(RecoveryTest, OpensADirectoryThatHoldsOtherThingsThanTables) {
  put_file("a", "partita.log");
  put_file("a", "partita.pid");
  open("a");
  EXPECT_TRUE(fs::exists(root_ / "a" / "partita.log"));
}

TEST_F(RecoveryTest, SaysWhichFileIsMissing) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  ASSERT_TRUE(store_->checkpoint().ok());
  store_.reset();
  ASSERT_TRUE(std::filesystem::remove(root_ / "a" / (Partition::records_table(SegmentId{1}) + ".wt")));
  const Status opened = try_open("a");
  if (!opened.ok()) return;  // As good an answer.
  const Status refused = insert("{_id: 2}");
  EXPECT_EQ(refused.code(), Code::InternalError);
  EXPECT_NE(refused.message().find("records"), std::string::npos) << refused.message();
  EXPECT_EQ(store_->engine().file_size(collection()->partitions[0].partition->records()).value(), 0);
}

TEST_F(RecoveryTest, RemovesFilesThatNobodyKnows) {
  open("a");
  ASSERT_TRUE(insert("{_id: 1}").ok());
  const std::string killed = copy();
  store_.reset();
  const std::vector<std::string> stray{"p41-records.wt", "p41-records.wt.1", "p1-records.wt.2", "p1-index-7.wt", "retry.wt.1"};
  const std::vector<std::string> other{"p1-records.wt.bak", "p41-records.wt.", "notes.txt", "q41-records.wt.1x"};
  for (const std::string& name : stray) put_file(killed, name);
  for (const std::string& name : other) put_file(killed, name);
  open(killed);
  for (const std::string& name : stray) EXPECT_FALSE(fs::exists(root_ / killed / name)) << name;
  for (const std::string& name : other) EXPECT_TRUE(fs::exists(root_ / killed / name)) << name;
  EXPECT_THAT(contents(), ElementsAre(R"({"_id":1})"));
  EXPECT_GE(lines_with("p41-records.wt.1"), 1);
}

}  // namespace
}  // namespace partita::shards
