// SPDX-License-Identifier: GPL-3.0-or-later
//
// What writers put into the log's files and what its readers see meanwhile. What a crash leaves: log_scan_test.cpp.
#include "shards/log/log_files.h"

#include <thread>

#include "tests/shards/log/log_files_fixture.h"

namespace partita::shards {
namespace {

using Numbers = std::vector<Sequence>;

class LogFilesTest : public LogFilesFixture {
 protected:
  LogFilesTest() { start(); }

  /// Small records up to the end of the file that is written to, and the first one of the next.
  void fill_file(LogId log = kDataLog) {
    for (const std::size_t files = paths().size(); paths().size() <= std::max<std::size_t>(files, 1);) append(log, 1000);
  }
};

TEST_F(LogFilesTest, BringsBackEachLogByItselfInOrder) {
  append(kDataLog, 0);
  append(kCatalogLog, 10);
  append(kDataLog, 300);
  append(kCatalogLog, 0);
  append(kDataLog, 7);
  EXPECT_EQ(sequences(tail(kCatalogLog)), (Numbers{1, 2}));
  EXPECT_EQ(sequences(tail(kDataLog)), (Numbers{1, 2, 3}));
  expect_whole();
}

TEST_F(LogFilesTest, ReadsFromAnySequenceNumber) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    engine_.seed(seed);
    std::array<Sequence, 2> last{};
    for (int i = 0; i < 60; ++i) {
      const LogId log = engine_() % 3 == 0 ? kCatalogLog : kDataLog;
      const std::size_t size = engine_() % 8 == 0 ? engine_() % (200 << 10) : engine_() % 5000;
      last[static_cast<std::size_t>(log)] = append(log, size).sequence;
    }
    EXPECT_GT(paths().size(), 5u);
    expect_whole();
    for (const LogId log : {kCatalogLog, kDataLog}) {
      const Sequence end = run_->positions.next_sequence(log);
      for (Sequence from = 1; from < end; ++from) {
        const std::vector<Record> records = tail(log, from);
        ASSERT_EQ(records.size(), end - from);
        ASSERT_TRUE(records.front() == kept(log)[from]) << from;
      }
      EXPECT_TRUE(tail(log, end).empty());
    }
  }
}

TEST_F(LogFilesTest, GivesALargeRecordAFileThatHoldsIt) {
  append(kDataLog, 1000);
  append(kDataLog, 200 << 10);
  append(kDataLog, 1000);
  ASSERT_EQ(paths().size(), 3u);
  EXPECT_EQ(std::filesystem::file_size(paths()[0]), file_bytes_) << "it has its room from the beginning";
  EXPECT_GT(std::filesystem::file_size(paths()[1]), 200u << 10);
  expect_whole();
}

TEST_F(LogFilesTest, TailStopsBeforeWhatIsNotSettled) {
  append(kDataLog, 10);
  const auto reader = run_->files.tail(kDataLog, 1);
  EXPECT_EQ(sequences(rest(*reader)), Numbers{1});
  Flight flight = take(kDataLog, 10);
  EXPECT_TRUE(next(*reader).empty()) << "taken";
  write(flight);
  EXPECT_TRUE(next(*reader).empty()) << "written";
  done(flight);
  EXPECT_EQ(sequences(rest(*reader)), Numbers{2});
}

TEST_F(LogFilesTest, TailWaitsForTheFirstFile) {
  const auto reader = run_->files.tail(kDataLog, 1);
  EXPECT_TRUE(next(*reader).empty());
  append(kDataLog, 10);
  EXPECT_EQ(sequences(rest(*reader)), Numbers{1});
}

TEST_F(LogFilesTest, TailShowsNothingBehindWhatIsInFlight) {
  const auto reader = run_->files.tail(kDataLog, 1);
  Flight a = take(kDataLog, 10);
  Flight b = take(kDataLog, 10);
  write(b);
  done(b);
  EXPECT_TRUE(next(*reader).empty());
  write(a);
  EXPECT_TRUE(next(*reader).empty());
  done(a);
  EXPECT_EQ(sequences(rest(*reader)), (Numbers{1, 2}));
}

TEST_F(LogFilesTest, TailGoesOnInTheNextFileWhileTheEndOfTheLastIsInFlight) {
  append(kDataLog, 10);
  const auto reader = run_->files.tail(kDataLog, 1);
  EXPECT_EQ(rest(*reader).size(), 1u);
  Flight a = take(kDataLog, 60000);
  Flight b = take(kDataLog, 60000);
  ASSERT_EQ(paths().size(), 2u);
  write(b);
  done(b);
  EXPECT_TRUE(next(*reader).empty());
  write(a);
  done(a);
  EXPECT_EQ(sequences(rest(*reader)), (Numbers{2, 3}));
}

TEST_F(LogFilesTest, TailShowsTheVoidAndNotWhatWasReadAhead) {
  append(kDataLog, 10);
  const auto reader = run_->files.tail(kDataLog, 1);
  Flight flight = take(kDataLog, 500);
  write(flight);
  EXPECT_EQ(sequences(rest(*reader)), Numbers{1});  // It has the whole file up to here in its window now.
  run_->log(kDataLog).settled(flight.position, false);
  append(kDataLog, 10);
  const Record seen = next(*reader);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(read_header(seen)->kind, RecordKind::kVoid);
  EXPECT_EQ(read_header(seen)->sequence, 2u);
  EXPECT_TRUE(RecordReader::open(seen).ok());
  EXPECT_EQ(sequences(rest(*reader)), Numbers{3});
}

// A write is not one step for who reads beside it: the kernel shows the bytes that have been copied so far.
TEST_F(LogFilesTest, TailDoesNotLookIntoARecordThatIsBeingWritten) {
  const std::uint64_t salt = (append(kDataLog, 10), header_of(paths()[0]).salt);
  Flight flight = take(kDataLog, 10);
  const Position& at = flight.position;
  const Bytes record = flight.record.finish(at.epoch, at.sequence, at.commit_time, run_->positions.visible());
  const Frame frame{.size = static_cast<std::uint32_t>(record.size()), .room = at.room};
  overwrite(at.place, frame.encode(at.place, salt));
  const auto reader = run_->files.tail(kDataLog, 2);
  for (std::size_t written = 0; written <= RecordHeader::kSize; ++written) {
    overwrite(at.place + Frame::kHeaderSize, record.first(written));
    const Result<std::optional<Bytes>> found = reader->next();
    ASSERT_TRUE(found.ok()) << written << ": " << found.status().message();
    ASSERT_FALSE(*found) << written;
  }
  write(flight);
  done(flight);
  EXPECT_EQ(sequences(rest(*reader)), Numbers{2});
}

TEST_F(LogFilesTest, TruncateRemovesWholeFilesAndKeepsWhatIsAskedFor) {
  for (int i = 0; i < 4; ++i) fill_file();
  const std::vector<Path> before = paths();
  ASSERT_GE(before.size(), 4u);
  const Sequence second = header_of(before[1]).next[1];
  const Sequence third = header_of(before[2]).next[1];
  ASSERT_TRUE(run_->files.sync().ok());

  ASSERT_TRUE(run_->files.truncate(second - 1).ok());
  EXPECT_EQ(paths(), before) << "the last record of the first file is asked for";
  ASSERT_TRUE(run_->files.truncate(third - 1).ok());
  EXPECT_EQ(paths().front(), before[1]);
  EXPECT_EQ(read_header(tail(kDataLog, 1).front())->sequence, second) << "an older one is not there any more";
  ASSERT_TRUE(run_->files.truncate(third + 1).ok());
  EXPECT_EQ(paths().front(), before[2]);
  ASSERT_TRUE(run_->files.truncate(~Sequence{0}).ok());
  EXPECT_EQ(paths(), std::vector<Path>{before.back()}) << "the last file stays";
  append(kDataLog, 10);
  EXPECT_EQ(tail(kDataLog, third).back(), kept(kDataLog).rbegin()->second);
}

TEST_F(LogFilesTest, TailGoesOnInAFileThatIsGone) {
  fill_file();
  const auto reader = run_->files.tail(kDataLog, 1);
  EXPECT_EQ(read_header(next(*reader))->sequence, 1u);
  ASSERT_TRUE(run_->files.sync().ok());
  ASSERT_TRUE(run_->files.truncate(~Sequence{0}).ok());
  ASSERT_EQ(paths().size(), 1u);
  append(kDataLog, 10);
  const Sequence end = run_->positions.next_sequence(kDataLog);
  const std::vector<Record> records = rest(*reader);
  EXPECT_EQ(records.size(), end - 2);
  EXPECT_EQ(read_header(records.back())->sequence, end - 1);
}

TEST_F(LogFilesTest, TailSaysThatTheFileBehindItsOwnIsGone) {
  fill_file();
  fill_file();
  const auto reader = run_->files.tail(kDataLog, 1);
  EXPECT_EQ(read_header(next(*reader))->sequence, 1u);
  ASSERT_TRUE(run_->files.sync().ok());
  ASSERT_TRUE(run_->files.truncate(~Sequence{0}).ok());
  Result<std::optional<Bytes>> found = reader->next();
  while (found.ok() && *found) found = reader->next();
  EXPECT_EQ(found.status().code(), Code::SnapshotTooOld) << "it must not wait for ever, nor leave something out";
}

// The checkpoint is drawn, a catalog record follows, then a data record begins a file.
TEST_F(LogFilesTest, TruncateKeepsWhatTheOtherLogStillNeeds) {
  fill_file();
  checkpoint();
  append(kCatalogLog, 10);
  append(kDataLog, 65000);
  ASSERT_EQ(paths().size(), 3u);
  ASSERT_TRUE(run_->files.sync().ok());
  const Record& first = kept(kCatalogLog)[from_[0]];
  ASSERT_TRUE(run_->files.truncate(from_[1]).ok());
  const std::vector<Record> records = tail(kCatalogLog, from_[0]);
  EXPECT_TRUE(!records.empty() && records.front() == first);
}

TEST_F(LogFilesTest, TakesNoPositionWhenTheDiskIsFull) {
  append(kDataLog, 10);
  const Left left = kill();
  lay_out(left);
  file_bytes_ = 1ull << 60;
  start();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(run_->files.take(kDataLog, 100).ok());
    EXPECT_EQ(run_->positions.next_sequence(kDataLog), 2u);
    EXPECT_EQ(paths().size(), 1u) << "nothing is left of the file that was not made";
  }
  Append append;
  RecordWriter record;
  record.begin(RecordKind::kOperations, kDataLog);
  append.record = &record;
  append.acknowledged = [](Append&) {};
  run_->log(kDataLog).append(append);
  EXPECT_FALSE(append.status.ok());
  EXPECT_FALSE(append.to_settle);

  file_bytes_ = 64 << 10;
  start();
  EXPECT_EQ(LogFilesFixture::append(kDataLog, 10).sequence, 2u);
  expect_whole();
}

TEST_F(LogFilesTest, AppendsFromManyThreadsWhileTailsFollow) {
  constexpr int kWriters = 8;
  constexpr int kEach = 2000;
  constexpr std::uint64_t kDoneAll = kWriters * kEach;
  std::vector<std::thread> threads;
  for (int writer = 0; writer < kWriters; ++writer) {
    threads.emplace_back([&, writer] {
      std::mt19937 random(static_cast<unsigned>(writer));
      const LogId log = writer % 4 == 0 ? kCatalogLog : kDataLog;
      RecordWriter record;
      for (int i = 0; i < kEach; ++i) {
        const Record key{static_cast<std::uint8_t>(writer)};
        record.begin(RecordKind::kOperations, log);
        record.add({OperationType::kInsert, PartitionId{7}, {}, key, Record(random() % 300, static_cast<std::uint8_t>(i))});
        Append append;
        append.record = &record;
        append.acknowledged = [](Append&) {};
        run_->log(log).append(append);
        ASSERT_TRUE(append.status.ok());
        run_->log(log).settled(append.position, random() % 16 != 0);
        if (random() % 500 == 0) {
          ASSERT_TRUE(run_->files.sync().ok());
        }
      }
    });
  }
  std::atomic<std::uint64_t> seen{0};
  std::atomic<bool> failed{false};
  for (const LogId log : {kCatalogLog, kDataLog}) {
    threads.emplace_back([&, log] {
      const auto reader = run_->files.tail(log, 1);
      for (Sequence expected = 1; seen < kDoneAll && !failed;) {
        const Result<std::optional<Bytes>> found = reader->next();
        if (found.ok() && !*found) continue;
        const auto record = found.ok() ? RecordReader::open(**found) : Result<RecordReader>(found.status());
        failed = !record.ok() || record->header().sequence != expected++;
        EXPECT_FALSE(failed) << "before " << expected << ": " << record.status().message();
        ++seen;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen, kDoneAll);
  EXPECT_EQ(tail(kCatalogLog).size() + tail(kDataLog).size(), kDoneAll);
}

TEST_F(LogFilesTest, ANumberThatIsGivenAgainIsFound) {
  append(kDataLog, 10);
  (void)take(kDataLog, 10);  // Its writer is killed before he writes, and a file has begun behind it.
  append(kCatalogLog, 65300);
  ASSERT_EQ(paths().size(), 2u);
  lay_out(kill());
  start();
  EXPECT_EQ(append(kDataLog, 10).sequence, 2u);
  EXPECT_EQ(sequences(tail(kDataLog, 1)), (Numbers{1, 2}));
  EXPECT_EQ(sequences(tail(kDataLog, 2)), Numbers{2});
}

}  // namespace
}  // namespace partita::shards
