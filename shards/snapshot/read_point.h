// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "shards/store.h"
#include "shards/storage/session.h"

namespace partita::shards {

/// A moment between two records of the log, and a session that reads everything as it was then, while writers go on. What
/// the log holds from next_sequence() on continues what is seen here. Keeps old versions alive for as long as it lives.
class ReadPoint {
 public:
  static Result<ReadPoint> now(Store& store);
  /// A moment that has passed, just behind the record of the data log that committed at that time; `next` is the one after
  /// it. Not before the pinned moment, by which alone its versions are there.
  static Result<ReadPoint> behind(Store& store, const PastPin& pinned, Time time, Sequence next);

  /// For reading only.
  Session& session() const { return *session_; }
  Time time() const { return time_; }
  /// The first record of the data log that is not seen.
  Sequence next_sequence() const { return next_sequence_; }

 private:
  ReadPoint(SessionLease session, Transaction transaction, Time time, Sequence next)
      : session_(std::move(session)), transaction_(std::move(transaction)), time_(time), next_sequence_(next) {}

  SessionLease session_;
  Transaction transaction_;
  Time time_;
  Sequence next_sequence_;
};

}  // namespace partita::shards
