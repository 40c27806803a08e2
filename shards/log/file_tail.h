// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/log.h"
#include "shards/log/log_files.h"

namespace partita::shards {

/// Reads the records of one log out of the files, past those of the other.
class FileTail final : public LogTail {
 public:
  FileTail(const LogFiles& files, LogId log, Sequence from) : files_(files), log_(log), next_(from) {}

  Result<std::optional<Bytes>> next() override;

 private:
  Result<bool> enter();
  Result<bool> go_on();

  const LogFiles& files_;
  const LogId log_;
  Sequence next_;
  std::optional<FrameReader> reader_;
  /// What has been read ahead is as it stays up to here: it was read later than all of that was settled.
  Place settled_ = 0;
};

}  // namespace partita::shards
