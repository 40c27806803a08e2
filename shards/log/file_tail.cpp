// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/file_tail.h"

namespace partita::shards {

/// False when there is no file to read yet.
Result<bool> FileTail::enter() {
  if (reader_) return true;
  auto [file, place] = files_.find(log_, next_);
  if (file == nullptr) return false;
  reader_.emplace(std::move(file), place);
  return true;
}

/// To the next file, for this one has no more. False when there is none yet.
Result<bool> FileTail::go_on() {
  auto behind = files_.file_behind(reader_->file());
  if (behind == nullptr) return false;
  if (behind->header().base != reader_->at()) return error(Code::SnapshotTooOld, "the log no longer holds what is asked for");
  const Place first = behind->first();
  reader_.emplace(std::move(behind), first);
  return true;
}

Result<std::optional<Bytes>> FileTail::next() {
  TRY(const bool any, enter());
  if (!any) return std::optional<Bytes>();
  bool looked_again = false;
  while (true) {
    if (reader_->at() >= settled_) {
      // What lies here may have been settled, and written over, since it was read.
      if (std::exchange(looked_again, true)) return std::optional<Bytes>();
      settled_ = files_.positions_.settled_place();
      reader_->forget();
      continue;
    }
    TRY(const auto found, reader_->read());
    if (!found) {
      TRY(const bool more, go_on());
      if (!more) return std::optional<Bytes>();
      continue;
    }
    reader_->step_over(found->frame);
    if (found->frame.size == 0) continue;
    TRY(const RecordHeader header, read_header(found->record));
    if (header.log != log_ || header.sequence < next_) continue;
    next_ = header.sequence + 1;
    return std::optional<Bytes>(found->record);
  }
}

}  // namespace partita::shards
