// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a kill leaves of the log's files, and what the next start makes of it. Power cuts: log_scan_power_test.cpp.
#include "shards/log/log_scan.h"

#include "tests/shards/log/log_files_fixture.h"

namespace partita::shards {
namespace {

class LogScanTest : public LogFilesFixture {
 protected:
  LogScanTest() { start(); }

  /// The only file, scanned alone.
  void expect_end(Place end) {
    const std::vector<std::shared_ptr<LogFile>> files{*LogFile::open(paths()[0])};
    LogScan scan(files, from_, boundary_, this_boot());
    ASSERT_TRUE(scan.run().ok());
    EXPECT_EQ(scan.end(), end);
    for (const LogId log : {kCatalogLog, kDataLog}) {
      EXPECT_EQ(scan.ends()[static_cast<std::size_t>(log)].next, kept(log).rbegin()->first + 1);
    }
  }
  std::vector<RecordKind> kinds(LogId log) {
    std::vector<RecordKind> kinds;
    for (const Record& record : tail(log)) kinds.push_back(read_header(record)->kind);
    return kinds;
  }
};

using Kinds = std::vector<RecordKind>;
constexpr RecordKind kOps = RecordKind::kOperations;

TEST_F(LogScanTest, GoesOnBehindAnEndWithoutAHole) {
  acquire();
  append_some(200);
  kill();
  start();
  EXPECT_EQ(run_->log(kDataLog).epoch(), 1u);
  expect_to_go_on();
}

TEST_F(LogScanTest, StartsWithNothing) {
  kill();
  start();
  expect_to_go_on();
}

// The last two frames, with zeros from every byte on.
TEST_F(LogScanTest, DropsATornEnd) {
  for (int i = 0; i < 5; ++i) positions_.push_back(append(i % 2 == 0 ? kDataLog : kCatalogLog, kUnpadded));
  const Place begin = positions_[3].place;
  const Place end = positions_[4].place + positions_[4].room;
  const Left left = kill();
  for (Place cut = begin; cut <= end; ++cut) {
    SCOPED_TRACE(std::to_string(cut - begin));
    lay_out(left);
    wipe(cut, end);
    forget_from(cut);
    const Place last = cut == end ? end : cut < positions_[4].place ? begin : positions_[4].place;
    expect_end(last);
    if (cut == begin || cut % 32 == 0 || cut + 1 >= end) {  // Syncing takes its time.
      start();
      expect_to_go_on();
    }
    if (HasFailure()) return;
  }
}

TEST_F(LogScanTest, RefusesAFileThatHasBeenCutOff) {
  for (int i = 0; i < 3; ++i) positions_.push_back(append(kDataLog, 10));
  kill();
  std::filesystem::resize_file(paths()[0], positions_[2].place + 40);
  EXPECT_EQ(try_start().code(), Code::DataModifiedByRepair);
}

TEST_F(LogScanTest, RefusesAFileWithADamagedHeader) {
  append(kDataLog, 60000);
  append(kDataLog, 60000);
  ASSERT_EQ(paths().size(), 2u);
  kill();
  FileHeader::Encoded bytes = header_of(paths()[1]).encode();
  bytes[33] ^= 4;
  overwrite(base_of(paths()[1]), bytes);
  const Status started = try_start();
  EXPECT_EQ(started.code(), Code::DataModifiedByRepair);
  EXPECT_NE(started.message().find(paths()[1].string()), std::string::npos) << started.message();
  EXPECT_EQ(paths().size(), 2u);
}

TEST_F(LogScanTest, LeavesFilesOfOthersAlone) {
  append(kDataLog, 10);
  kill();
  const std::vector<std::string> names{"server.log", "notes.txt", "0000000000000000.log.bak", "00000000000000FF.log"};
  for (const std::string& name : names) std::ofstream(path_ / name) << "mine";
  EXPECT_TRUE(try_start().ok());
  for (const std::string& name : names) EXPECT_TRUE(std::filesystem::exists(path_ / name)) << name;
}

TEST_F(LogScanTest, DoesNotKeepAFileOfEveryStart) {
  for (int i = 0; i < 140; ++i) {
    start();
    append(kDataLog, 10);
    checkpoint();
    kill();
  }
  start();
  EXPECT_LE(paths().size(), 128u);
  append(kDataLog, 10);
  EXPECT_EQ(tail(kDataLog, from_[1]).size(), 1u);
}

TEST_F(LogScanTest, PutsAVoidWhereNobodyWrote) {
  append(kDataLog, 10);
  (void)take(kDataLog, 0);
  Flight behind = take(kDataLog, 10);
  write(behind);
  done(behind);
  lay_out(kill());
  start();
  EXPECT_EQ(kinds(kDataLog), (Kinds{kOps, RecordKind::kVoid, kOps}));
  expect_to_go_on();
}

TEST_F(LogScanTest, GivesANumberAgainThatWasTheLastOfItsLog) {
  append(kDataLog, 10);
  (void)take(kDataLog, 500);
  Flight behind = take(kCatalogLog, 10);
  write(behind);
  lay_out(kill());
  start();
  EXPECT_EQ(run_->positions.next_sequence(kDataLog), 2u);
  expect_to_go_on();
}

TEST_F(LogScanTest, FillsHolesOfBothLogsWhereverTheyAre) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    engine_.seed(seed);
    file_bytes_ = seed % 2 == 0 ? 4096 : 64 << 10;
    begin_anew();
    for (int life = 0; life < 3; ++life) {
      start();
      expect_whole();
      acquire();
      for (int round = 0; round < 8; ++round) {
        std::vector<Flight> flights;
        for (auto count = 1 + engine_() % 8; count > 0; --count) {
          flights.push_back(take(engine_() % 2 == 0 ? kCatalogLog : kDataLog, engine_() % 4 == 0 ? engine_() % 3000 : engine_() % 40));
        }
        std::ranges::shuffle(flights, engine_);
        for (Flight& flight : flights) {
          if (round == 7 && engine_() % 2 == 0) continue;
          write(flight);
          if (round < 7 || engine_() % 2 == 0) done(flight);
        }
      }
      kill();
      start();  // And is killed before it writes anything.
      expect_whole();
      kill();
      if (HasFailure()) return;
    }
  }
}

// Its writer is in flight all along, so that nobody has seen it settled.
TEST_F(LogScanTest, PutsAVoidWhereHalfAFrameIs) {
  append(kDataLog, 10);
  Flight torn = take(kDataLog, 50);
  Flight behind = take(kDataLog, 10);
  write(torn);
  write(behind);
  done(behind);
  const Place place = torn.position.place;
  const Left left = kill();
  for (std::uint32_t byte = 0; byte < Frame::kHeaderSize + torn.record.size(); ++byte) {
    const auto is_torn = [&] {
      forget(torn.position);
      start();
      EXPECT_EQ(kinds(kDataLog), (Kinds{kOps, RecordKind::kVoid, kOps}));
      expect_whole();
      return !HasFailure();
    };
    SCOPED_TRACE(byte);
    lay_out(left);
    wipe(place + byte, place + torn.position.room);
    // The last bytes of a record may be zeros themselves.
    if (byte < Frame::kHeaderSize + RecordHeader::kSize && !is_torn()) return;
    lay_out(left);
    overwrite(place + byte, Record{static_cast<std::uint8_t>(read_bytes(place + byte, 1)[0] ^ 0x10)});
    if (!is_torn()) return;
  }
}

TEST_F(LogScanTest, TakesNoCopyOfAFrameForOne) {
  append(kDataLog, 100);
  const Position copied = append(kDataLog, 100);
  const Record frame = read_bytes(copied.place, copied.room);
  Record image(20);
  for (int shift = 0; shift < 8; ++shift) {  // At each distance from where a frame may begin.
    image.insert(image.end(), frame.begin(), frame.end());
    image.push_back(0);
  }
  Flight torn = take(kDataLog, image);
  Flight behind = take(kDataLog, 10);
  write(torn);
  write(behind);
  done(behind);
  lay_out(kill());
  wipe(torn.position.place, torn.position.place + Frame::kHeaderSize);
  forget(torn.position);
  start();
  EXPECT_EQ(kinds(kDataLog), (Kinds{kOps, kOps, RecordKind::kVoid, kOps}));
  expect_to_go_on();
}

TEST_F(LogScanTest, RefusesToEndBeforeTheCheckpoint) {
  append_some(10);
  checkpoint();
  kill();
  for (std::size_t i = 0; i < from_.size(); ++i) {
    ++from_[i];
    expect_refused();
    --from_[i];
  }
  start();
  expect_to_go_on();
  kill();
  std::filesystem::remove_all(path_);
  std::filesystem::create_directory(path_);
  expect_refused();
}

TEST_F(LogScanTest, NeedsNothingBeforeTheCheckpoint) {
  append_some(200);
  checkpoint();
  append_some(200);
  kill();
  ASSERT_GE(paths().size(), 4u);
  const Left left = kill();
  lay_out(left);
  std::size_t needed = 0;
  while (header_of(paths()[needed + 1]).next[0] <= from_[0] && header_of(paths()[needed + 1]).next[1] <= from_[1]) ++needed;
  ASSERT_GT(needed, 0u);
  for (; needed > 0; --needed) std::filesystem::remove(paths()[0]);
  start();
  EXPECT_EQ(tail(kDataLog, from_[1]).front(), kept(kDataLog)[from_[1]]);
  EXPECT_EQ(tail(kDataLog).back(), kept(kDataLog).rbegin()->second);
  EXPECT_EQ(tail(kCatalogLog).back(), kept(kCatalogLog).rbegin()->second);
  kill();
  std::filesystem::remove(paths()[0]);
  expect_refused();
}

TEST_F(LogScanTest, KeepsTheEpochOfALogThatIsQuiet) {
  acquire();
  append(kCatalogLog, 10);
  for (Epoch life = 2; life <= 6; ++life) {
    for (int i = 0; i < 200; ++i) append(kDataLog, 1000);
    checkpoint();
    append(kDataLog, 10);
    ASSERT_TRUE(run_->files.truncate(from_[1] - 1).ok());
    EXPECT_LE(paths().size(), 2u);
    kill();
    start();
    EXPECT_EQ(run_->log(kCatalogLog).epoch(), 1u);
    EXPECT_EQ(run_->positions.next_sequence(kCatalogLog), 3u);
    const Result<Epoch> epoch = run_->log(kDataLog).acquire_now("test");
    ASSERT_TRUE(epoch.ok());
    EXPECT_EQ(*epoch, life);
  }
  EXPECT_TRUE(tail(kCatalogLog).empty());
  EXPECT_EQ(*run_->log(kCatalogLog).acquire_now("test"), 2u);
  EXPECT_EQ(sequences(tail(kCatalogLog)), std::vector<Sequence>{3});
}

TEST_F(LogScanTest, AKillMayInterruptTheFilling) {
  append(kDataLog, 10);
  const Place hole = take(kDataLog, 100).position.place;
  const Place second = take(kCatalogLog, 100).position.place;
  for (const LogId log : {kDataLog, kCatalogLog}) {
    Flight behind = take(log, 10);
    write(behind);
  }
  lay_out(kill());
  start();
  expect_whole();
  kill();
  wipe(hole + Frame::kHeaderSize + RecordHeader::kSize, second + 200);  // Of two voids in one hole, the second.
  start();
  EXPECT_EQ(kinds(kDataLog), (Kinds{kOps, RecordKind::kVoid, kOps}));
  EXPECT_EQ(kinds(kCatalogLog), (Kinds{RecordKind::kVoid, kOps}));
  expect_to_go_on();
}

TEST_F(LogScanTest, ReadersGetPastAFileThatWasKilledEmpty) {
  append_some(10);
  checkpoint();
  kill();
  start();
  (void)take(kDataLog, 10);  // Begins a file, and is killed before it writes.
  kill();
  start();
  append(kDataLog, 10);
  expect_whole();
}

TEST_F(LogScanTest, CountsNoEpochThatWasNotWritten) {
  acquire();
  append_some(10);
  checkpoint();
  kill();
  start();
  ASSERT_TRUE(run_->log(kDataLog).acquire_now("test").ok());
  kill();
  const Place base = base_of(paths().back());
  wipe(base + FileHeader::kSize, base + file_bytes_);  // It had made the file, and was killed before it wrote.
  start();
  EXPECT_EQ(run_->log(kDataLog).epoch(), 1u);
  acquire();
  expect_whole();
}

TEST_F(LogScanTest, KeepsAnEmptyFileWhenItIsTheOnlyOne) {
  append_some(10);
  checkpoint();
  kill();
  start();
  (void)take(kDataLog, 10);
  kill();
  std::filesystem::remove(paths()[0]);  // As truncate() may.
  start();
  kill();
  const Status again = try_start();
  EXPECT_TRUE(again.ok()) << again.message();
}

}  // namespace
}  // namespace partita::shards
