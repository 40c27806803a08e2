// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/snapshot/read_point.h"

#include <cassert>

#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

FailPoint drawn{"readPointDrawn", "A reader has its moment and has not begun to read."};

}  // namespace

// What was given a place before the moment is waited for and seen, and nothing that comes later is. A busy machine may take
// longer from here to there than the past is kept, so it is held.
Result<ReadPoint> ReadPoint::now(Store& store) {
  TRY(SessionLease session, SessionLease::take(store.engine()));
  Sequence next = 0;
  const auto past = store.hold_past();
  const Time time = store.positions().boundary([&](Time, const std::vector<Sequence>& sequences) {
    next = sequences[static_cast<std::size_t>(kDataLog)];
  });
  store.positions().wait_visible(time);
  CHECK_OK(drawn.hit());
  TRY(Transaction transaction, Transaction::begin_at(*session, time));
  return ReadPoint(std::move(session), std::move(transaction), time, next);
}

Result<ReadPoint> ReadPoint::behind(Store& store, const PastPin& pinned, Time time, Sequence next) {
  assert(pinned.time() <= time);
  (void)pinned;
  TRY(SessionLease session, SessionLease::take(store.engine()));
  store.positions().wait_visible(time);
  TRY(Transaction transaction, Transaction::begin_at(*session, time));
  return ReadPoint(std::move(session), std::move(transaction), time, next);
}

}  // namespace partita::shards
