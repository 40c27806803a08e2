// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/log/log_recovery.h"

namespace partita::shards {

Status LogRecovery::damaged(const RecordHeader& header, std::string_view why) const {
  return error(Code::DataModifiedByRepair, "log ", static_cast<std::uint32_t>(log_), " is damaged at record ", header.sequence,
               " of epoch ", header.epoch, ": ", why);
}

Status LogRecovery::admit(const RecordHeader& header) {
  const bool takeover = header.kind == RecordKind::kEpoch;
  // The checkpoint does not say which epoch it was: the first record does.
  if (!fence_) fence_.emplace(takeover ? header.epoch - 1 : header.epoch, next_ - 1);
  if (header.commit_time <= last_time_) return damaged(header, "its time does not come after that of the record before");
  if (header.sequence > fence_->last() + 1) CHECK_OK(note_gap(header));
  if (header.closed_time >= behind_first_gap_) return damaged(header, "a record is missing that had committed before it");
  if (!fence_->admit(header)) return damaged(header, "it does not follow the record before");
  last_time_ = header.commit_time;
  return {};
}

Status LogRecovery::note_gap(const RecordHeader& behind) {
  const Sequence missing = behind.sequence - fence_->last() - 1;
  if (behind.kind == RecordKind::kEpoch) return damaged(behind, "records are missing before a takeover");
  if (missing > Positions::kWindow) return damaged(behind, "more records are missing than can have been under way");
  // Times grow with every position, so there is room for each between its neighbours.
  if (behind.commit_time - last_time_ <= missing) return damaged(behind, "records are missing for which there is no time");
  if (gaps_.empty()) behind_first_gap_ = behind.commit_time;
  for (Sequence i = 1; i <= missing; ++i) {
    RecordHeader filled;
    filled.kind = RecordKind::kVoid;
    filled.epoch = fence_->epoch();
    filled.sequence = fence_->last() + 1;
    gaps_.push_back({log_, filled.epoch, filled.sequence, last_time_ + i, 0});
    if (!fence_->admit(filled)) return damaged(behind, "it does not follow the record before");
  }
  return {};
}

}  // namespace partita::shards
