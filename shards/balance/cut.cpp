// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where to cut is found in one walk that need not see the whole: half of the bytes is known from the partition's counters,
// and the walk ends at the first place behind it. The part behind the cut is what the counters say less the part before.
#include "shards/balance/cut.h"

#include <thread>

#include "query/keys/encode.h"
#include "shards/storage/fail_point.h"

namespace partita::shards {
namespace {

using Clock = std::chrono::steady_clock;

/// A stretch of the walk: nothing that is written meanwhile can be forgotten by the engine.
constexpr std::chrono::milliseconds kStretch(20);
/// Documents between two looks at the clock.
constexpr std::int64_t kStride = 256;

FailPoint walked{"splitWalked", "A stretch of a partition has been walked over; while this is on, stretches are short."};
constexpr std::int64_t kShortStretch = 100;

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The first key behind.
std::string successor(Bytes key) { return std::string(text(key)) + '\0'; }

Result<Cursor> rows_of(const ReadPoint& now, const PartitionSlot& slot, Bytes from, Bytes to) {
  TRY(Cursor rows, now.session().cursor(slot.partition->records()));
  if (!from.empty() || !to.empty()) CHECK_OK(rows.bound(from, true, to));
  return rows;
}

/// The part that a row belongs to.
Bytes indivisible(const query::ShardKey& key, Grain grain, Bytes record_key) {
  constexpr std::size_t kHashSize = 8;
  if (grain == Grain::kRecord) return record_key;
  if (grain == Grain::kLogicalKey) return record_key.first(key.logical_size(record_key));
  std::size_t size = 0;
  for (const auto& field : key.fields()) {
    if (field.hashed) return record_key.first(size + kHashSize);
    size += query::keys::encoded_size(record_key.subspan(size));
  }
  return record_key.first(size);
}

/// Two looks at its ends tell a partition that cannot be divided, however large it is.
Result<std::optional<Grain>> find_grain(const ReadPoint& now, const Sharding& sharding, const PartitionSlot& slot) {
  std::string first;
  {
    TRY(Cursor rows, rows_of(now, slot, bytes_of(slot.min), bytes_of(slot.max)));
    TRY(const bool any, rows.next());
    if (!any) return std::optional<Grain>();
    first = text(rows.key());
  }
  TRY(Cursor rows, rows_of(now, slot, bytes_of(slot.min), bytes_of(slot.max)));
  TRY(const bool any, rows.previous());
  for (const Grain grain : {Grain::kHash, Grain::kLogicalKey, Grain::kRecord}) {
    if (!any || (grain == Grain::kRecord && !sharding.divides_keys())) break;
    const bool differ = text(indivisible(sharding.key, grain, rows.key())) != text(indivisible(sharding.key, grain, bytes_of(first)));
    if (differ) return std::optional(grain);
  }
  return std::optional<Grain>();
}

}  // namespace

CutCount::CutCount(Store& store, const Collection& collection, const PartitionSlot& slot, const BalanceJob::GoOn& go_on,
                   BalanceJob& job)
    : store_(store), collection_(collection), slot_(slot), go_on_(go_on), job_(job), prefix_(slot.partition->prefix_count()) {}

CutCount::~CutCount() { prefix_.end(); }

Result<bool> CutCount::find_middle() {
  {
    TRY(const ReadPoint now, ReadPoint::now(store_));
    TRY(const std::optional<Grain> grain, find_grain(now, *collection_.sharding, slot_));
    if (!grain) return false;
    grain_ = *grain;
  }
  bool found = false;
  const Look look = [&](Bytes key) { return found = is_middle(key); };
  CHECK_OK(walk(bytes_of(slot_.max), look));
  if (!found && marked_) prefix_.return_to_mark();  // Nearly all of it is one part, at its end.
  prefix_.settle();
  return found || marked_;
}

Status CutCount::find(const std::string& at) {
  CHECK_OK(walk(bytes_of(at), [](Bytes) { return false; }));
  prefix_.advance(at, seen_);
  prefix_.settle();
  return {};
}

Cut CutCount::cut() const { return {prefix_.place(), prefix_.before()}; }

/// Works half of the time: those who wait for answers have more right to the processors.
Status CutCount::walk(Bytes to, const Look& look) {
  prefix_.begin(slot_.min);
  while (true) {
    CHECK_OK(go_on_());
    const Clock::time_point began = Clock::now();
    TRY(const bool more, walk_stretch(to, look));
    job_.bytes_done.store(prefix_.before().bytes, std::memory_order_relaxed);
    CHECK_OK(walked.hit());
    if (!more) return {};
    std::this_thread::sleep_for(std::min<Clock::duration>(Clock::now() - began, kStretch));
  }
}

/// False when `look` has seen enough, or there are no more rows: then what has been passed is in seen_.
Result<bool> CutCount::walk_stretch(Bytes to, const Look& look) {
  const std::string from = prefix_.place();
  seen_ = {};
  if (!to.empty() && from >= text(to)) return false;
  TRY(const ReadPoint now, ReadPoint::now(store_));
  prefix_.begin_stretch(now.time());
  before_ = prefix_.before();
  half_ = slot_.partition->counters().total().bytes / 2;
  job_.bytes_total.store(half_, std::memory_order_relaxed);
  const Clock::time_point until = Clock::now() + kStretch;
  const std::int64_t most = walked.armed() ? kShortStretch : INT64_MAX;
  TRY(Cursor rows, rows_of(now, slot_, bytes_of(from), to));
  Cursor::Row row;
  for (std::int64_t looked = 1;; ++looked) {
    TRY(const bool more, rows.next());
    if (!more) return take_candidate(), false;
    rows.read(row);
    if (look(row.key)) return false;
    seen_ += {1, static_cast<std::int64_t>(row.value.size())};
    if (looked == most || (looked % kStride == 0 && Clock::now() >= until)) break;
  }
  const std::string place = successor(row.key);
  take_candidate();
  prefix_.advance(place, seen_);
  return true;
}

/// Whether the cut lies at this row, or where the last part began.
bool CutCount::is_middle(Bytes key) {
  const Bytes part = indivisible(collection_.sharding->key, grain_, key);
  if (text(part) == part_) return false;
  part_ = text(part);
  const Growth passed = before_ + seen_;
  if (passed.documents == 0) return false;
  if (passed.bytes < half_) {
    candidate_ = part_;
    candidate_seen_ = seen_;
    return false;
  }
  take_candidate();
  prefix_.advance(part_, seen_);
  const bool nearer = marked_ && half_ - prefix_.before_mark().bytes <= prefix_.before().bytes - half_;
  if (nearer) prefix_.return_to_mark();
  return true;
}

/// The last place before the middle is kept in mind: behind it may lie a part that is larger than half.
void CutCount::take_candidate() {
  if (candidate_.empty()) return;
  prefix_.advance(candidate_, candidate_seen_);
  prefix_.mark();
  marked_ = true;
  seen_ = seen_ - candidate_seen_;
  candidate_.clear();
}

}  // namespace partita::shards
