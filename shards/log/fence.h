// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/log/record.h"

namespace partita::shards {

/// Decides over record headers alone, in log order, which records count. A pure function with two numbers of memory, so
/// that every reader of a log, wherever it runs, comes to the same verdict: an epoch record is valid when its epoch is the
/// next one, any other when it belongs to the current epoch and carries the next sequence number. All else was written by
/// a sequencer that had been deposed, and is void. An epoch record takes the next sequence number whatever it says itself:
/// while it was on its way a busy sequencer, which does not know of it, has moved on, and could not be deposed otherwise.
class Fence {
 public:
  Fence() = default;
  Fence(Epoch epoch, Sequence last) : epoch_(epoch), last_(last) {}

  /// True when the record is valid; the fence then stands behind it.
  bool admit(const RecordHeader& header) {
    if (header.kind == RecordKind::kEpoch) {
      if (header.epoch != epoch_ + 1) return false;
      ++epoch_;
    } else if (header.epoch != epoch_ || header.sequence != last_ + 1) {
      return false;
    }
    ++last_;
    return true;
  }
  Epoch epoch() const { return epoch_; }
  Sequence last() const { return last_; }

 private:
  Epoch epoch_ = 0;
  Sequence last_ = 0;
};

}  // namespace partita::shards
