// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>

#include "shards/log/log.h"
#include "shards/log/log_scan.h"
#include "shards/log/position.h"

namespace partita::shards {

/// The files that hold the records of all logs of one server, in the order of their times: `log/` in the data directory.
/// A record gets its position and its place in one step and is written without a lock; it is the kernel's when write()
/// returns, which lets it survive kill -9, and on the disk behind the next sync().
///
/// A file is begun when the one before is full, and at every start. Thread-safe but for recover().
class LogFiles {
 public:
  LogFiles(std::filesystem::path path, std::uint64_t file_bytes, Positions& positions);

  /// Looks over everything behind the last checkpoint, which was at `from` and `boundary`: fills what a kill has left open,
  /// cuts off what a power cut has torn, and refuses what neither can have done. Nothing may be written before.
  Result<LogEnds> recover(const std::array<Sequence, FileHeader::kLogs>& from, Time boundary);

  /// The next position of a log, with room for a record of that size. Fails when the disk is full, and then nothing has
  /// been taken.
  Result<Position> take(LogId log, std::size_t record);
  Status write(const Position& position, Bytes record);
  /// Brings what has been taken before this call to the disk: waits for who is still writing, for a power cut that takes
  /// something from the middle takes everything behind it too.
  Status sync();
  /// Removes the files that hold nothing but what comes before this record of the data log.
  Status truncate(Sequence before);

  /// Reads one log from a record on, or from the first one behind it that is there.
  std::unique_ptr<LogTail> tail(LogId log, Sequence from);

 private:
  friend class FileTail;
  using File = std::shared_ptr<LogFile>;
  struct Mark {
    Sequence next;
    Place place;
  };

  Result<std::vector<std::filesystem::path>> all_paths() const;
  Status list();
  Status remove_behind(Place end);
  Status begin_file(std::uint32_t room);
  void remove_surplus(std::size_t needed);
  File file_of(Place place) const;
  File file_behind(const LogFile& file) const;
  std::pair<File, Place> find(LogId log, Sequence sequence) const;

  const std::filesystem::path path_;
  Directory directory_;
  const std::uint64_t file_bytes_;
  Positions& positions_;
  const std::uint64_t boot_ = this_boot();

  mutable std::mutex mutex_;
  std::vector<File> files_;   ///< In the order of their places.
  Place next_ = 0;            ///< Where the next frame begins.
  Place file_end_ = 0;        ///< Of the file that is written to; none at first.
  std::array<Epoch, FileHeader::kLogs> epochs_{};  ///< Of the last positions taken.
  std::vector<Mark> marks_;   ///< Of the data log, so that who wants to read does not look for his place from afar.
  bool new_file_ = false;     ///< Since the directory was synced.

  std::mutex syncing_;
  std::atomic<Place> synced_{0};
};

}  // namespace partita::shards
