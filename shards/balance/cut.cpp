// SPDX-License-Identifier: GPL-3.0-or-later
//
// Where to cut is found in one walk that need not see the whole: half of the bytes is known from the partition's counters,
// and the walk ends at the first place behind it. The part behind the cut is what the counters say less the part before.
#include "shards/balance/cut.h"

#include <algorithm>
#include <thread>

#include "query/keys/encode.h"

namespace partita::shards {
namespace {

/// Documents between two looks at the clock and at whether to go on.
constexpr std::int64_t kStride = 1024;

std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Works half of the time: those who wait for answers have more right to the processors.
class Pace {
 public:
  void rest() {
    const auto worked = std::chrono::steady_clock::now() - since_;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(worked, std::chrono::milliseconds(20)));
    since_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

/// The documents of one partition, in order, and how much has been passed.
class Walk {
 public:
  Walk(Cursor rows, const BalanceJob::GoOn& go_on, BalanceJob& job) : rows_(std::move(rows)), go_on_(go_on), job_(job) {}

  Result<bool> next() {
    if (started_) passed_ += {1, static_cast<std::int64_t>(row_.value.size())};
    started_ = true;
    if (passed_.documents % kStride == kStride - 1) {
      job_.bytes_done.store(passed_.bytes, std::memory_order_relaxed);
      CHECK_OK(go_on_());
      pace_.rest();
    }
    TRY(const bool more, rows_.next());
    if (more) rows_.read(row_);
    return more;
  }
  Bytes key() const { return row_.key; }
  /// Before the document that the walk stands at; behind the last one, all.
  const Growth& passed() const { return passed_; }

 private:
  Cursor rows_;
  const BalanceJob::GoOn& go_on_;
  BalanceJob& job_;
  Pace pace_;
  Cursor::Row row_;
  Growth passed_;
  bool started_ = false;
};

Result<Cursor> rows_of(const ReadPoint& now, const PartitionSlot& slot, Bytes from, Bytes to) {
  TRY(Cursor rows, now.session().cursor(slot.partition->records()));
  if (!from.empty() || !to.empty()) CHECK_OK(rows.bound(from, true, to));
  return rows;
}

/// What a cut must not divide, a prefix of the record key: all that shares a hash, which a client can name as a bound, or,
/// where nothing else would leave two parts, the logical key, or the document.
enum class Grain : std::uint8_t { kHash, kLogicalKey, kRecord };
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

/// Documents and bytes of one version of a document.
Result<Growth> size_at(Cursor& rows, Bytes key) {
  TRY(const bool there, rows.find(key));
  return there ? Growth{1, static_cast<std::int64_t>(rows.value().size())} : Growth{};
}

}  // namespace

Result<std::optional<Cut>> find_cut(const ReadPoint& now, const Collection& collection, const PartitionSlot& slot,
                                    const BalanceJob::GoOn& go_on, BalanceJob& job) {
  std::optional<Cut> best;
  const query::ShardKey& key = collection.sharding->key;
  TRY(const std::optional<Grain> grain, find_grain(now, *collection.sharding, slot));
  if (!grain) return best;
  const std::int64_t half = slot.partition->counters().total().bytes / 2;
  job.bytes_total.store(half, std::memory_order_relaxed);
  TRY(Cursor rows, rows_of(now, slot, bytes_of(slot.min), bytes_of(slot.max)));
  Walk walk(std::move(rows), go_on, job);
  std::string current;
  while (true) {
    TRY(const bool more, walk.next());
    if (!more) return best;
    const Bytes part = indivisible(key, *grain, walk.key());
    if (text(part) == current) continue;
    current = text(part);
    const Growth& passed = walk.passed();
    if (passed.documents == 0) continue;
    const bool behind = passed.bytes >= half;
    const bool nearer = !best || std::abs(passed.bytes - half) < std::abs(best->before.bytes - half);
    if (nearer) best = Cut{current, passed};
    if (behind) return best;
  }
}

Result<Cut> measure_cut(const ReadPoint& now, const PartitionSlot& slot, const std::string& at,
                        const BalanceJob::GoOn& go_on, BalanceJob& job) {
  job.bytes_total.store(slot.partition->counters().total().bytes / 2, std::memory_order_relaxed);
  TRY(Cursor rows, rows_of(now, slot, bytes_of(slot.min), bytes_of(at)));
  Walk walk(std::move(rows), go_on, job);
  while (true) {
    TRY(const bool more, walk.next());
    if (!more) return Cut{at, walk.passed()};
  }
}

CutCount::CutCount(Store& store, const PartitionSlot& slot)
    : store_(store), slot_(slot), touched_(store, std::vector{slot.partition->id()}) {}

Status CutCount::begin() {
  TRY(ReadPoint first, ReadPoint::now(store_));
  touched_.begin(first.next_sequence());
  first_.emplace(std::move(first));
  return {};
}

Result<Growth> CutCount::size_at_first(const std::string& key) {
  TRY(Cursor rows, first_->session().cursor(slot_.partition->records()));
  return size_at(rows, bytes_of(key));
}

Result<std::size_t> CutCount::follow(const BalanceJob::GoOn& go_on, std::size_t most) {
  TRY(const ReadPoint now, ReadPoint::now(store_));
  CHECK_OK(touched_.collect(now.next_sequence(), go_on));
  const std::set<std::string>& keys = touched_.of(slot_.partition->id());
  pending_.insert(keys.begin(), keys.lower_bound(cut_.at));
  touched_.clear();
  TRY(Cursor rows, now.session().cursor(slot_.partition->records()));
  std::size_t looked = 0;
  for (; looked < most && !pending_.empty(); ++looked) {
    const auto key = pending_.begin();
    TRY(const Growth size, size_at(rows, bytes_of(*key)));
    auto counted = counted_.find(*key);
    if (counted == counted_.end()) {
      TRY(const Growth first, size_at_first(*key));
      counted = counted_.emplace(*key, first).first;
    }
    cut_.before += {size.documents - counted->second.documents, size.bytes - counted->second.bytes};
    counted->second = size;
    pending_.erase(key);
  }
  return looked;
}

}  // namespace partita::shards
