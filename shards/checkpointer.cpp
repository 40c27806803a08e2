// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/checkpointer.h"

#include <pthread.h>

#include <algorithm>
#include <set>

#include "shards/storage/fail_point.h"
#include "shards/store.h"

namespace partita::shards {
namespace {

/// How often the past is cut off: seldom while little is written, often while much is.
constexpr std::chrono::milliseconds kTick(50);
constexpr std::chrono::milliseconds kShortTick(5);
/// Records between two ticks from which on the next comes sooner. Versions that may be asked for lie in a chain, which a
/// writer of the row walks from end to end: that of a session that writes 2,500 times a second, as sixteen of them do at
/// 40,000 inserts, took 1 us of each.
constexpr Sequence kManyRecords = 64;
/// Replay after a crash handles 200 to 300 MB a second, and 200,000 operations: these bound how long a start may take.
constexpr std::uint64_t kLogBytesBetween = 2ull << 30;
constexpr std::uint64_t kOperationsBetween = 1'500'000;

// Rows of the state table: "L" -> SavedState; "N" partition(BE) -> its counts; "K" segment(BE) -> its indexes' multikey bits.
constexpr std::string_view kLogsKey = "L";

FailPoint boundary_drawn{"checkpointBoundary", "A checkpoint has its moment, and everything up to it has committed."};
FailPoint counts_saved{"checkpointCountsSaved", "The counts at that moment are committed, which is not yet stable."};
FailPoint stable_set{"checkpointStable", "The moment is stable, the tables are not yet on disk."};
FailPoint tables_written{"checkpointWritten", "The checkpoint is on disk; the log still reaches back behind it."};

using CountsKey = std::array<std::uint8_t, 5>;

CountsKey numbered(char prefix, std::uint32_t number) {
  CountsKey key{static_cast<std::uint8_t>(prefix)};
  for (int i = 0; i < 4; ++i) key[1 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  return key;
}
CountsKey counts_key(PartitionId id) { return numbered('N', static_cast<std::uint32_t>(id)); }
CountsKey multikey_key(SegmentId id) { return numbered('K', static_cast<std::uint32_t>(id)); }

/// Rows of partitions and segments that are gone.
Status remove_others(Cursor& cursor, char prefix, const std::set<CountsKey>& present) {
  cursor.reset();
  const std::uint8_t from = static_cast<std::uint8_t>(prefix);
  const std::uint8_t behind = from + 1;
  CHECK_OK(cursor.bound({&from, 1}, true, {&behind, 1}));
  while (true) {
    TRY(const bool more, cursor.next());
    if (!more) break;
    CountsKey key{};
    std::ranges::copy(cursor.key().first(key.size()), key.begin());
    if (!present.contains(key)) CHECK_OK(cursor.remove_here());
  }
  cursor.reset();
  return {};
}

bson::Document encode_counts(const PartitionSlot& slot, Time boundary) {
  const Growth then = slot.partition->counters().at(boundary);
  return bson::Document::build([&](bson::Writer& row) {
    row.add("documents", then.documents);
    row.add("bytes", then.bytes);
    slot.partition->activity().save(row);
  });
}

bson::Document encode_multikey(const PartitionSlot& slot) {
  return bson::Document::build([&](bson::Writer& row) {
    bson::ArrayWriter array = row.array("multikey");
    for (const auto& index : slot.indexes) {
      const std::uint64_t bits = index->multikey.load(std::memory_order_relaxed);
      if (bits == 0) continue;
      bson::Writer one = array.document();
      one.add("index", static_cast<std::int64_t>(index->spec->id));
      one.add("bits", static_cast<std::int64_t>(bits));
    }
  });
}

}  // namespace

Result<SavedState> load_saved_state(Session& session, TableId state_table) {
  SavedState saved;
  TRY(Cursor cursor, session.cursor(state_table));
  TRY(const bool there, cursor.find(bytes_of(kLogsKey)));
  if (!there) return saved;
  const bson::View row = bson::View::trusted(cursor.value().data());
  saved.boundary = static_cast<Time>(row["boundary"].exact_int64().value_or(0));
  saved.next[0] = static_cast<Sequence>(row["catalogLog"].exact_int64().value_or(1));
  saved.next[1] = static_cast<Sequence>(row["dataLog"].exact_int64().value_or(1));
  saved.data_bytes = static_cast<std::uint64_t>(row["dataBytes"].exact_int64().value_or(0));
  if (const bson::Value marks = row["marks"]; marks.is_array()) saved.marks = LogMarks::read(marks.as_document());
  return saved;
}

void LogMarks::add(Mark mark, std::uint64_t retention) {
  if (marks_.empty() || mark.bytes - marks_.back().bytes >= retention / 16) marks_.push_back(mark);
}

Sequence LogMarks::cut(std::uint64_t bytes, std::uint64_t retention, Sequence held) {
  Sequence first = 0;
  while (!marks_.empty() && marks_.front().next <= held && bytes - marks_.front().bytes > retention) {
    first = marks_.front().next;
    marks_.pop_front();
  }
  return first;
}

void LogMarks::append_to(bson::ArrayWriter& array) const {
  for (const Mark& mark : marks_) {
    bson::Writer one = array.document();
    one.add("next", static_cast<std::int64_t>(mark.next));
    one.add("bytes", static_cast<std::int64_t>(mark.bytes));
  }
}

LogMarks LogMarks::read(bson::View array) {
  LogMarks marks;
  for (const auto& [name, value] : array) {
    const bson::View one = value.as_document();
    marks.marks_.push_back({static_cast<Sequence>(one["next"].exact_int64().value_or(0)),
                            static_cast<std::uint64_t>(one["bytes"].exact_int64().value_or(0))});
  }
  return marks;
}

Result<Growth> load_counts(Session& session, TableId state_table, PartitionId partition) {
  Growth growth;
  TRY(Cursor cursor, session.cursor(state_table));
  TRY(const bool there, cursor.find(counts_key(partition)));
  if (!there) return growth;
  const bson::View row = bson::View::trusted(cursor.value().data());
  growth.documents = row["documents"].exact_int64().value_or(0);
  growth.bytes = row["bytes"].exact_int64().value_or(0);
  return growth;
}

Status load_activity(Session& session, TableId state_table, Partition& partition) {
  partition.activity().assume(partition.counters().total().bytes);
  TRY(Cursor cursor, session.cursor(state_table));
  TRY(const bool there, cursor.find(counts_key(partition.id())));
  if (there) partition.activity().restore(bson::View::trusted(cursor.value().data()));
  return {};
}

Result<SavedBits> load_multikey(Session& session, TableId state_table, SegmentId segment) {
  SavedBits bits;
  TRY(Cursor cursor, session.cursor(state_table));
  TRY(const bool there, cursor.find(multikey_key(segment)));
  if (!there) return bits;
  const bson::View row = bson::View::trusted(cursor.value().data());
  for (const auto& [name, one] : row["multikey"].as_document()) {
    bits.emplace_back(one.as_document()["index"].exact_int64().value_or(0), one.as_document()["bits"].exact_int64().value_or(0));
  }
  return bits;
}

Checkpointer::Checkpointer(Store& store, std::uint32_t seconds, std::uint64_t log_retention_bytes,
                           SavedState saved, bool soon)
    : store_(store),
      interval_(seconds),
      log_retention_bytes_(log_retention_bytes),
      bytes_before_start_(saved.data_bytes),
      marks_(std::move(saved.marks)),
      last_visible_(std::max(store.engine().oldest(), Time{1})),  // The engine refuses to go back behind it.
      thread_([this, soon] { run(soon); }) {
  pthread_setname_np(thread_.native_handle(), "checkpoint");
}

Checkpointer::~Checkpointer() {
  if (!thread_.joinable()) return;
  (void)stop().ok();  // It has been logged, and the log has everything.
}

Status Checkpointer::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
  return take();
}

void Checkpointer::run(bool soon) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point due = soon ? Clock::now() : Clock::now() + interval_;
  std::uint64_t bytes = 0;
  std::uint64_t operations = 0;
  std::unique_lock lock(mutex_);
  std::chrono::milliseconds tick = kTick;
  Sequence last = 0;
  EvictionPace pace(Engine::kEvictionAtFirst, Clock::now());
  while (!stop_.wait_for(lock, tick, [&] { return stopping_; })) {
    lock.unlock();
    advance_oldest();
    const Sequence next = store_.positions().next_sequence(kDataLog);
    const bool many = next - std::exchange(last, next) > kManyRecords;
    tick = many ? std::max(tick / 2, kShortTick) : std::min(tick * 2, kTick);
    const std::uint64_t appended = store_.log(kDataLog).appended_bytes();
    const std::uint64_t decided = store_.log(kDataLog).appended_operations();
    if (const auto eviction = pace.look(Clock::now(), appended)) paces_.note(store_.engine().set_eviction(*eviction));
    const bool hurried = hurried_.exchange(false, std::memory_order_relaxed);
    const bool much = appended - bytes > kLogBytesBetween || decided - operations > kOperationsBetween;
    if (hurried || much || Clock::now() >= due) {
      (void)take().ok();  // A full disk: it has been logged, the next round tries again, the log has everything.
      store_.catalog().remove_dropped_tables();
      due = Clock::now() + interval_;
      bytes = appended;
      operations = decided;
    }
    lock.lock();
  }
}

// Old versions are kept for readers of a past time. Left alone between checkpoints, a document that changes often would
// drag a long tail of them along; so the past is cut off here, two ticks behind the present.
void Checkpointer::advance_oldest() {
  const std::unique_lock idle(taking_, std::try_to_lock);
  if (!idle.owns_lock()) return;
  const std::unique_lock unheld(past_, std::try_to_lock);
  if (!unheld.owns_lock()) return;
  const Time visible = store_.positions().visible();
  if (visible > last_visible_) {
    advances_.note(store_.engine().set_stable(visible, store_.past_pins().lowest(last_visible_)));
  }
  last_visible_ = std::max(visible, last_visible_);
}

std::uint64_t Checkpointer::data_bytes() const {
  return bytes_before_start_ + store_.log(kDataLog).appended_bytes();
}

Status Checkpointer::trim_log() {
  const Sequence first = marks_.cut(data_bytes(), log_retention_bytes_, store_.log_holds().lowest());
  return first > 1 ? store_.log(kDataLog).truncate(first) : Status();
}

Status Checkpointer::take() {
  const std::lock_guard one_at_a_time(taking_);
  Status outcome = take_locked();
  outcomes_.note(outcome);
  return outcome;
}

Status Checkpointer::take_locked() {
  std::array<Sequence, 2> next{};
  const Time boundary = store_.positions().boundary([&](Time time, const std::vector<Sequence>& sequences) {
    store_.set_checkpoint_boundary(time);
    std::copy(sequences.begin(), sequences.end(), next.begin());
  });
  store_.positions().wait_visible(boundary);
  CHECK_OK(boundary_drawn.hit());
  marks_.add({next[1], data_bytes()}, log_retention_bytes_);
  CHECK_OK(save(boundary, next));
  CHECK_OK(counts_saved.hit());
  {
    const std::lock_guard unheld(past_);
    CHECK_OK(store_.engine().set_stable(boundary, store_.past_pins().lowest(last_visible_)));
  }
  CHECK_OK(stable_set.hit());
  store_.sync_log();  // After a power cut the tables must not be ahead of it.
  CHECK_OK(store_.engine().checkpoint());
  store_.set_checkpointed(boundary);
  tables_written.pass();
  trims_.note(trim_log());
  return {};
}

Status Checkpointer::save(Time boundary, const std::array<Sequence, 2>& next) {
  TRY(const SessionLease session, SessionLease::take(store_.engine()));
  TRY(Transaction transaction, Transaction::begin(*session));
  CHECK_OK(save_counts(*session, boundary));
  const bson::Document logs = bson::Document::build([&](bson::Writer& row) {
    row.add("boundary", static_cast<std::int64_t>(boundary));
    row.add("catalogLog", static_cast<std::int64_t>(next[0]));
    row.add("dataLog", static_cast<std::int64_t>(next[1]));
    row.add("dataBytes", static_cast<std::int64_t>(data_bytes()));
    bson::ArrayWriter marks = row.array("marks");
    marks_.append_to(marks);
  });
  TRY(Cursor cursor, session->cursor(store_.state_table()));
  CHECK_OK(cursor.put(bytes_of(kLogsKey), logs.view().bytes()));
  return transaction.commit(boundary);
}

Status Checkpointer::save_counts(Session& session, Time boundary) {
  TRY(Cursor cursor, session.cursor(store_.state_table()));
  // The catalog's own rows may be ahead of what it shows: an index that is in the checkpoint needs its bits there too.
  // Partitions that have been split or dropped since the boundary have no row here; replay comes to that change, which
  // says what the new ones began with.
  const std::shared_ptr<const CatalogSnapshot> snapshot = store_.catalog().settled();
  std::set<CountsKey> present;
  for (const auto& collection : snapshot->all()) {
    for (const PartitionSlot& slot : collection->partitions) {
      const CountsKey key = counts_key(slot.partition->id());
      CHECK_OK(cursor.put(key, encode_counts(slot, boundary).view().bytes()));
      present.insert(key);
      const CountsKey bits_key = multikey_key(slot.partition->segment());
      if (!present.insert(bits_key).second) continue;
      CHECK_OK(cursor.put(bits_key, encode_multikey(slot).view().bytes()));
    }
  }
  CHECK_OK(remove_others(cursor, 'N', present));
  return remove_others(cursor, 'K', present);
}

}  // namespace partita::shards
