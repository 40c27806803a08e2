// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "shards/log/log_file.h"
#include "shards/log/log_recovery.h"

namespace partita::shards {

/// What a log goes on with.
struct LogEnd {
  Epoch epoch = 0;
  Sequence next = 1;
  Time time = 0;  ///< Of its last record.
};
using LogEnds = std::array<LogEnd, FileHeader::kLogs>;

/// Looks over the files of the log behind the last checkpoint before anything of it is applied again, and tells what a crash
/// has left in them:
///
/// - A hole whose record was on its way when the process was killed, while others behind it had been written. It gets a void
///   record, for no reader of the log gets past a missing number.
/// - A hole before something that was written later than its record, or any hole when the machine has been started since: a
///   power cut may have taken one and spared the other. The log ends before the first of these.
/// - A hole before something that was written when its record was on the disk already: damage, which is refused.
class LogScan {
 public:
  using Files = std::span<const std::shared_ptr<LogFile>>;
  /// The checkpoint needs the records from `from` on, and was taken at `boundary`.
  LogScan(Files files, const std::array<Sequence, FileHeader::kLogs>& from, Time boundary, std::uint64_t boot);

  /// Reads and decides.
  Status run();
  /// Fills the holes. Before this nothing has been changed.
  Status mend() const;
  /// Behind the last record that counts.
  Place end() const { return end_; }
  const LogEnds& ends() const { return ends_; }
  /// Which file it began with: those before hold nothing that the checkpoint needs.
  std::size_t first() const { return first_; }
  /// Bytes behind the end, up to the last record that is there.
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Hole {
    std::shared_ptr<LogFile> file;
    Place begin;
    Place end;
    std::vector<Position> voids;
  };
  /// A record that is not there, between two of its log that are.
  struct Missing {
    Position position;
    Place after;
    Place before;
  };

  Status find_first();
  void begin_look();
  Status look(Place limit);
  Status look_through(std::size_t index, Place limit);
  Status meet(const FrameReader::Found& found, Place at);
  Status meet_record(const RecordHeader& header, Place at);
  void note_hole(const std::shared_ptr<LogFile>& file, Place begin);
  void close_hole(Place end);
  Status assign();
  Status damaged(const Hole& hole) const;

  const Files files_;
  const std::array<Sequence, FileHeader::kLogs> from_;
  const Time boundary_;
  const std::uint64_t boot_;

  std::vector<LogRecovery> logs_;
  std::array<Place, FileHeader::kLogs> last_{};  ///< Where the last record of each stands.
  std::vector<Missing> missing_;
  std::vector<Hole> holes_;
  std::vector<Hole> open_;  ///< Behind the last frame so far: holes only if another one comes.
  bool in_hole_ = false;
  bool lost_ = false;
  Place synced_ = 0;
  Place end_ = 0;
  std::size_t first_ = 0;
  std::uint64_t dropped_ = 0;
  LogEnds ends_;
};

}  // namespace partita::shards
