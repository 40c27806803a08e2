// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a power cut leaves of the log's files: some of what was not synced is zeros, what came later may be there.
#include <thread>

#include "tests/shards/log/log_files_fixture.h"

namespace partita::shards {
namespace {

class LogScanPowerCut : public LogFilesFixture {
 protected:
  LogScanPowerCut() { start(); }
};

TEST_F(LogScanPowerCut, EndsTheLogBeforeWhatItHasTorn) {
  append_some(30);
  const Left left = kill();
  const Place end = positions_.back().place + positions_.back().room;
  std::vector<std::pair<Place, Place>> regions;
  for (const Position& position : positions_) regions.emplace_back(position.place, position.place + position.room);
  for (Place page = 4096; page < end; page += 4096) regions.emplace_back(page, page + 4096);
  for (const auto& [from, to] : regions) {
    SCOPED_TRACE(from);
    lay_out(left);
    wipe(from, to);
    forget_from(from);
    start();
    expect_to_go_on();
    if (HasFailure()) return;
  }
}

TEST_F(LogScanPowerCut, EndsTheLogBeforeAFileThatItHasTaken) {
  file_bytes_ = 4096;
  begin_anew();
  start();
  append_some(40);
  const Left left = kill();
  lay_out(left);
  const std::vector<Path> files = paths();
  ASSERT_GE(files.size(), 4u);
  for (std::size_t i = 1; i < files.size(); ++i) {
    for (const bool gone : {true, false}) {
      SCOPED_TRACE(i);
      lay_out(left);
      const Path file = paths()[i];
      const Place base = base_of(file);
      if (gone) std::filesystem::remove(file);
      else wipe(base, base + FileHeader::kSize);
      forget_from(base);
      start();
      expect_to_go_on();
    }
  }
}

TEST_F(LogScanPowerCut, TakesNothingThatWasOnTheDisk) {
  file_bytes_ = 8192;
  begin_anew();
  start();
  append_some(40);
  ASSERT_TRUE(run_->files.sync().ok());
  const Position behind = append(kDataLog, 10);
  const Left left = kill();
  for (const Position& position : positions_) {
    lay_out(left);
    wipe(position);
    expect_refused();
  }
  lay_out(left);
  const std::size_t files = paths().size();
  ASSERT_GE(files, 3u);
  for (std::size_t i = 0; i + 1 < files; ++i) {
    lay_out(left);
    std::filesystem::remove(paths()[i]);
    expect_refused();
  }
  lay_out(left);
  wipe(behind);
  forget(behind);
  start();
  expect_to_go_on();
}

TEST_F(LogScanPowerCut, MayTearTheFillingOfHoles) {
  (void)take(kDataLog, 10);
  Flight between = take(kDataLog, 10);
  const Position first = between.position;
  write(between);
  (void)take(kDataLog, 10);
  Flight behind = take(kDataLog, 10);
  write(behind);
  lay_out(kill());
  start();
  expect_whole();
  kill();
  wipe(FileHeader::kSize, first.place);  // Of the two voids, this one had not come to the disk.
  start();
  expect_whole();
}

// Whom sync() has returned to is told that his record is on the disk; it may as well wait for what is in flight.
TEST_F(LogScanPowerCut, TakesNothingThatWasSyncedBehindSomethingInFlight) {
  Flight slow = take(kDataLog, 10);
  append(kDataLog, 10);
  std::atomic<bool> synced{false};
  std::thread syncing([&] {
    EXPECT_TRUE(run_->files.sync().ok());
    synced = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const bool promised = synced;
  write(slow);
  done(slow);
  syncing.join();
  const Position last = append(kDataLog, 10);
  kill();
  if (!promised) return;
  wipe(slow.position);
  forget(slow.position);
  forget(last);
  start();
  const std::vector<Record> records = tail(kDataLog, 2);
  EXPECT_TRUE(!records.empty() && records.front() == kept(kDataLog)[2]);
}

TEST_F(LogScanPowerCut, MayTakeAFileThatWasNotSettled) {
  (void)take(kDataLog, 60000);
  for (int i = 0; i < 2; ++i) {
    Flight flight = take(kDataLog, 60000);
    write(flight);
    done(flight);
  }
  ASSERT_EQ(paths().size(), 3u);
  kill();
  std::filesystem::remove(paths()[1]);
  const Status started = try_start();
  EXPECT_TRUE(started.ok()) << started.message();
}

TEST_F(LogScanPowerCut, FindsNothingTruncatedWhoseSuccessorWasNotOnTheDisk) {
  append_some(10);
  checkpoint();
  append(kDataLog, 65000);
  ASSERT_EQ(paths().size(), 2u);
  ASSERT_TRUE(run_->files.truncate(from_[1]).ok());
  kill();
  wipe(base_of(paths().back()), base_of(paths().back()) + file_bytes_);
  const Status started = try_start();
  EXPECT_TRUE(started.ok()) << started.message();
}

// What was in flight hides for how long others behind it have been settled; so after a start of the machine no hole is taken
// for what a kill leaves.
TEST_F(LogScanPowerCut, EndsTheLogAtAnyHoleWhenTheMachineWasStartedAnew) {
  append(kDataLog, 10);
  (void)take(kDataLog, 10);
  const Position behind = append(kDataLog, 10);
  kill();
  FileHeader header = header_of(paths()[0]);
  header.boot ^= 1;
  overwrite(header.base, header.encode());
  forget(behind);
  start();
  EXPECT_EQ(append(kDataLog, 10).sequence, 2u);
  expect_whole();
}

}  // namespace
}  // namespace partita::shards
