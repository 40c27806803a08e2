// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "shards/log/embedded_log.h"
#include "shards/log/fence.h"

namespace partita::shards {

/// The files of both logs in a directory of their own, and what a crash leaves of them. A copy of the directory is what
/// kill -9 would leave; a power cut is a copy in which something has been wiped. What was written is kept here too, so that
/// expect_whole() can tell what is missing and what should not be there.
class LogFilesFixture : public testing::Test {
 protected:
  using Path = std::filesystem::path;
  using Record = std::vector<std::uint8_t>;
  using Kept = std::array<std::map<Sequence, Record>, FileHeader::kLogs>;

  struct Wall final : WallClock {
    std::int64_t now_ms() const override { return 1'000'000; }
  };
  /// One process.
  struct Run {
    Run(const Path& path, std::uint64_t file_bytes, const WallClock& wall)
        : clock(wall), positions(clock), files(path, file_bytes, positions),
          logs{EmbeddedLog(files, kCatalogLog, positions), EmbeddedLog(files, kDataLog, positions)} {}
    EmbeddedLog& log(LogId id) { return logs[static_cast<std::size_t>(id)]; }

    HybridClock clock;
    Positions positions;
    LogFiles files;
    std::array<EmbeddedLog, FileHeader::kLogs> logs;
  };
  /// A record that has its position.
  struct Flight {
    RecordWriter record;
    Position position;
  };
  /// What a crash has left.
  struct Left {
    Path path;
    Kept kept;
  };

  LogFilesFixture() {
    std::string name = (std::filesystem::temp_directory_path() / "partita-log-files-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no directory for a test: " + name);
    root_ = name;
    path_ = root_ / "0";
  }
  ~LogFilesFixture() override {
    run_.reset();
    std::filesystem::remove_all(root_);
  }

  /// The next start, as Store's: everything behind the last checkpoint is looked over.
  Status try_start() {
    run_ = std::make_unique<Run>(path_, file_bytes_, wall_);
    run_->clock.observe(boundary_);
    TRY(const LogEnds ends, run_->files.recover(from_, boundary_));
    for (const LogEnd& end : ends) run_->clock.observe(end.time);
    for (std::size_t i = 0; i < ends.size(); ++i) run_->logs[i].resume(ends[i]);
    return {};
  }
  void start() {
    const Status started = try_start();
    ASSERT_TRUE(started.ok()) << started.message();
  }
  void acquire() {
    for (EmbeddedLog& log : run_->logs) ASSERT_TRUE(log.acquire_now("test").ok());
  }
  /// What the next start needs begins here.
  void checkpoint() {
    boundary_ = run_->positions.boundary([&](Time, const std::vector<Sequence>& next) { std::ranges::copy(next, from_.begin()); });
    ASSERT_TRUE(run_->files.sync().ok());
  }

  Flight take(LogId log, std::size_t payload) {
    Record image(payload);
    for (std::uint8_t& byte : image) byte = static_cast<std::uint8_t>(engine_());
    return take(log, image);
  }
  Flight take(LogId log, const Record& image) {
    Flight flight;
    flight.record.begin(RecordKind::kOperations, log);
    flight.record.add({OperationType::kInsert, PartitionId{7}, {}, {}, image});
    const Result<Position> position = run_->files.take(log, flight.record.size());
    EXPECT_TRUE(position.ok());
    if (position.ok()) flight.position = *position;
    return flight;
  }
  void write(Flight& flight) {
    const Position& at = flight.position;
    const Bytes bytes = flight.record.finish(at.epoch, at.sequence, at.commit_time, run_->positions.visible());
    ASSERT_TRUE(run_->files.write(at, bytes).ok());
    kept(at.log)[at.sequence] = {bytes.begin(), bytes.end()};
  }
  void done(const Flight& flight) { run_->positions.done(flight.position); }
  Position append(LogId log, std::size_t payload) {
    Flight flight = take(log, payload);
    write(flight);
    done(flight);
    return flight.position;
  }

  static Record next(LogTail& tail) {
    Result<std::optional<Bytes>> found = tail.next();
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.ok() && *found ? Record((*found)->begin(), (*found)->end()) : Record();
  }
  static std::vector<Record> rest(LogTail& tail) {
    std::vector<Record> records;
    for (Record record = next(tail); !record.empty(); record = next(tail)) records.push_back(std::move(record));
    return records;
  }
  static std::vector<Sequence> sequences(const std::vector<Record>& records) {
    std::vector<Sequence> numbers;
    for (const Record& record : records) numbers.push_back(read_header(record)->sequence);
    return numbers;
  }
  std::vector<Record> tail(LogId log, Sequence from = 1) { return rest(*run_->files.tail(log, from)); }

  /// Both logs have every number, and just the records that they should have.
  void expect_whole() {
    for (const LogId log : {kCatalogLog, kDataLog}) {
      SCOPED_TRACE("log " + std::to_string(static_cast<std::uint32_t>(log)));
      Fence fence;
      std::map<Sequence, Record> found;
      for (Record& record : tail(log)) {
        const RecordHeader header = *read_header(record);
        EXPECT_TRUE(RecordReader::open(record).ok()) << "record " << header.sequence;
        EXPECT_TRUE(fence.admit(header)) << "record " << header.sequence << " of epoch " << header.epoch;
        if (header.kind == RecordKind::kOperations) found[header.sequence] = std::move(record);
      }
      EXPECT_EQ(fence.last() + 1, run_->positions.next_sequence(log));
      for (const auto& [sequence, record] : kept(log)) EXPECT_TRUE(found.contains(sequence)) << sequence << " is missing";
      for (const auto& [sequence, record] : found) {
        const auto it = kept(log).find(sequence);
        EXPECT_TRUE(it != kept(log).end() && it->second == record) << sequence << " is not what was written";
      }
    }
  }
  std::map<Sequence, Record>& kept(LogId log) { return kept_[static_cast<std::size_t>(log)]; }
  /// It is not expected to be there any more.
  void forget(const Position& position) { kept(position.log).erase(position.sequence); }

  /// Kills the process.
  Left kill() {
    run_.reset();
    return {path_, kept_};
  }
  /// An empty directory.
  void begin_anew() {
    run_.reset();
    path_ = root_ / std::to_string(++copies_);
    kept_ = {};
  }
  /// Goes on with a copy of what was left: it stays as it is, for the next copy.
  void lay_out(const Left& left) {
    run_.reset();
    if (path_ != left.path) std::filesystem::remove_all(path_);
    path_ = root_ / std::to_string(++copies_);
    std::filesystem::copy(left.path, path_);
    kept_ = left.kept;
  }

  /// So that the frame ends where its record does.
  static constexpr std::size_t kUnpadded = 128;

  void append_some(int count) {
    for (int i = 0; i < count; ++i) {
      positions_.push_back(append(engine_() % 3 == 0 ? kCatalogLog : kDataLog, kUnpadded + engine_() % 100 * 8));
    }
  }
  /// The log ends there.
  void forget_from(Place end) {
    for (const Position& position : positions_) {
      if (position.place + position.room > end) forget(position);
    }
  }
  /// All is there, and stays there behind two more starts.
  void expect_to_go_on() {
    expect_whole();
    for (int i = 0; i < 2; ++i) {
      acquire();
      append(kDataLog, 100);
      append(kCatalogLog, 100);
      kill();
      start();
      expect_whole();
    }
  }
  void expect_refused() {
    const std::vector<Record> before = contents();
    const Status refused = try_start();
    EXPECT_EQ(refused.code(), Code::DataModifiedByRepair) << refused.message();
    EXPECT_TRUE(contents() == before) << "nothing is changed of what is refused";
  }
  std::vector<Record> contents() const {
    std::vector<Record> all;
    for (const Path& path : paths()) all.push_back(read_bytes(base_of(path), std::filesystem::file_size(path)));
    return all;
  }

  std::vector<Path> paths() const {
    std::vector<Path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
  }
  static Place base_of(const Path& path) { return std::stoull(path.stem().string(), nullptr, 16); }
  /// The file that a place lies in.
  Path path_of(Place place) const {
    const std::vector<Path> all = paths();
    const auto behind = std::ranges::find_if(all, [&](const Path& path) { return base_of(path) > place; });
    return *std::prev(behind);
  }
  FileHeader header_of(const Path& path) const { return **FileHeader::decode(read_bytes(base_of(path), FileHeader::kSize)); }
  Record read_bytes(Place at, std::size_t size) const {
    const Path path = path_of(at);
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at - base_of(path)));
    Record bytes(size);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
    return bytes;
  }
  void overwrite(Place at, Bytes bytes) const {
    const Path path = path_of(at);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at - base_of(path)));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    ASSERT_TRUE(file.flush().good());
  }
  void wipe(Place from, Place to) const { overwrite(from, Record(to - from)); }
  void wipe(const Position& position) const { wipe(position.place, position.place + position.room); }

  std::uint64_t file_bytes_ = 64 << 10;
  std::array<Sequence, FileHeader::kLogs> from_{1, 1};
  Time boundary_ = 0;
  std::unique_ptr<Run> run_;
  Path root_;
  Path path_;
  std::mt19937_64 engine_{17};
  std::vector<Position> positions_;  ///< Of append_some().

 private:
  const Wall wall_;
  Kept kept_;
  int copies_ = 0;
};

}  // namespace partita::shards
