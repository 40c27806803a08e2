// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/store.h"

#include <algorithm>
#include <filesystem>

#include "shards/balance/balancer.h"
#include "shards/checkpointer.h"
#include "shards/data_directory.h"
#include "shards/expiry/ttl_monitor.h"
#include "shards/indexes/build.h"
#include "shards/journal_sync.h"
#include "shards/log/write_unit.h"
#include "shards/moves/mover.h"
#include "shards/moves/row_copy.h"
#include "shards/sessions/reaper.h"
#include "shards/storage/fatal.h"
#include "wire/net/timer.h"

namespace partita::shards {
namespace {

constexpr const char* kCatalogTable = "catalog";
constexpr const char* kRetryTable = "retry";
constexpr const char* kStateTable = "state";
constexpr const char* kLogDirectory = "log";

}  // namespace

Store::Store(StoreOptions options, const WallClock& wall)
    : options_(std::move(options)),
      clock_(wall),
      positions_(clock_),
      random_(options_.seed),
      object_ids_(wall, random_),
      run_files_(options_.engine.path),
      log_files_(std::filesystem::path(options_.engine.path) / kLogDirectory, options_.log_file_bytes, positions_),
      logs_{EmbeddedLog(log_files_, kCatalogLog, positions_), EmbeddedLog(log_files_, kDataLog, positions_)} {}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options, const WallClock& wall) {
  std::unique_ptr<Store> store(new Store(std::move(options), wall));
  CHECK_OK(check_data_directory(store->options_.engine.path));
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(store->options_.engine.path) / "journal", failed);
  if (failed) {
    return error(Code::FileOpenFailed, "the data directory ", store->options_.engine.path, " cannot be made: ", failed.message());
  }
  TRY(store->engine_, Engine::open(store->options_.engine));
  CHECK_OK(store->open_tables());
  TRY(SavedState saved, store->load_saved());
  store->set_checkpointed(saved.boundary);
  CHECK_OK(store->recover(saved));
  saved.data_bytes += store->replayed_data_bytes_;
  store->journal_ = std::make_unique<JournalSync>(*store, store->options_.journal_interval_ms);
  const bool soon = store->options_.checkpoint_after_replay && store->replayed_ > 0;
  store->checkpointer_ = std::make_unique<Checkpointer>(*store, store->options_.checkpoint_seconds,
                                                        store->options_.log_retention_bytes, std::move(saved), soon);
  store->reaper_ = std::make_unique<RetryReaper>(*store, store->options_.session_timeout_seconds);
  const auto reap = [reaper = store->reaper_.get()] { reaper->turn(); };
  store->reaping_ = std::make_unique<wire::Periodic>("session-reaper", std::chrono::seconds(1), reap);
  store->balancer_ = std::make_unique<Balancer>(*store, store->options_.balance);
  store->mover_ = std::make_unique<Mover>(*store, store->options_.moves);
  store->ttl_ = std::make_unique<TtlMonitor>(*store, store->options_.ttl);
  CHECK_OK(store->catalog_->drop_temporary());
  return store;
}

Store::~Store() {
  ttl_.reset();
  mover_.reset();
  balancer_.reset();
  reaping_.reset();
  if (checkpointer_ != nullptr) {
    // Closing takes a checkpoint of its own, which must not be newer than our last one and its counts.
    if (!checkpointer_->stop().ok()) engine_->abandon();
  } else if (engine_ != nullptr) {
    engine_->abandon();
  }
  journal_.reset();
}

Status Store::open_tables() {
  TRY(tables_.catalog, engine_->create_table(kCatalogTable, TableKind::kState));
  TRY(tables_.retry, engine_->create_table(kRetryTable, TableKind::kState));
  TRY(state_table_, engine_->create_table(kStateTable, TableKind::kState));
  return {};
}

// The tables stand where the last checkpoint left them. The catalog and the counts are read as of then, the records
// behind it are applied again, in the order of their times over both logs, each committed at its own time; then what no
// row accounts for is removed. Nothing is thrown away before the end, so that a crash on the way changes nothing.
Status Store::recover(const SavedState& saved) {
  clock_.observe(engine_->recovery_time());
  TRY(const LogEnds ends, log_files_.recover(saved.next, saved.boundary));
  for (const LogEnd& end : ends) clock_.observe(end.time);
  for (std::size_t i = 0; i < logs_.size(); ++i) logs_[i].resume(ends[i]);
  TRY(CatalogState state, load_catalog());
  CHECK_OK(restore_counts(state));
  CHECK_OK(replay(state, saved));
  TRY(const std::vector<TableId> orphans, find_orphans(state));
  for (EmbeddedLog& log : logs_) CHECK_OK(log.acquire_now("embedded"));
  const bool fresh = state.meta().cluster == bson::ObjectId{};
  catalog_ = std::make_unique<Catalog>(*this, std::move(state));
  catalog_->remove_later(orphans);
  for (auto& [changed, tables] : retired_) catalog_->retire(std::move(tables), changed);
  catalog_->remove_dropped_tables();
  if (!fresh) CHECK_OK(remove_stray_files());
  return fresh ? catalog_->found_cluster() : Status();
}

Result<CatalogState> Store::load_catalog() {
  CatalogState state(*engine_);
  TRY(const SessionLease session, SessionLease::take(*engine_));
  TRY(Cursor cursor, session->cursor(tables_.catalog));
  while (true) {
    TRY(const bool more, cursor.next());
    if (!more) break;
    CHECK_OK(state.put(cursor.key(), bson::View::trusted(cursor.value().data())));
  }
  // Tables are where the checkpoint has them: nothing here is new, so nothing is to be filled.
  CHECK_OK(state.settle_loaded());
  return state;
}

Status Store::restore_counts(CatalogState& state) {
  TRY(const SessionLease session, SessionLease::take(*engine_));
  for (const PartitionSlot* slot : state.slots()) {
    TRY(const Growth saved, load_counts(*session, state_table_, slot->partition->id()));
    slot->partition->counters().restore(saved);
    CHECK_OK(load_activity(*session, state_table_, *slot->partition));
    TRY(const SavedBits multikey, load_multikey(*session, state_table_, slot->partition->segment()));
    for (const auto& [id, bits] : multikey) {
      for (const auto& index : slot->indexes) {
        if (index->spec->id == id) index->multikey.store(bits);
      }
    }
  }
  return {};
}

Result<SavedState> Store::load_saved() {
  TRY(const SessionLease session, SessionLease::take(*engine_));
  TRY(SavedState saved, load_saved_state(*session, state_table_));
  if (saved.boundary != engine_->recovery_time()) {
    return error(Code::DataModifiedByRepair, "the data directory's checkpoint and its counts disagree: ",
                 engine_->recovery_time(), " and ", saved.boundary);
  }
  return saved;
}

Status Store::replay(CatalogState& state, const SavedState& saved) {
  TRY(const SessionLease session, SessionLease::take(*engine_));
  std::array<std::unique_ptr<LogTail>, 2> tails;
  std::array<std::optional<Bytes>, 2> heads;
  for (std::size_t i = 0; i < tails.size(); ++i) {
    TRY(tails[i], logs_[i].tail(saved.next[i]));
    TRY(heads[i], tails[i]->next());
  }
  while (heads[0] || heads[1]) {
    std::array<RecordHeader, 2> headers{};
    for (std::size_t i = 0; i < heads.size(); ++i) {
      headers[i].commit_time = ~Time{0};
      if (!heads[i]) continue;
      TRY(headers[i], read_header(*heads[i]));
    }
    const std::size_t next = headers[0].commit_time < headers[1].commit_time ? 0 : 1;
    CHECK_OK(replay_record(*session, *heads[next], state));
    ++replayed_;
    if (LogId{static_cast<std::uint32_t>(next)} == kDataLog) replayed_data_bytes_ += heads[next]->size();
    TRY(heads[next], tails[next]->next());
  }
  return {};
}

Status Store::replay_record(Session& session, Bytes record, CatalogState& state) {
  TRY(RecordReader reader, RecordReader::open(record));
  if (reader.header().kind != RecordKind::kOperations && reader.header().kind != RecordKind::kCatalog) return {};
  Applier applier(tables_);
  Effects effects;
  TRY(Transaction transaction, Transaction::begin(session));
  while (true) {
    TRY(const std::optional<Operation> operation, reader.next());
    if (!operation) break;
    CHECK_OK(applier.apply(session, *operation, state, effects));
  }
  CHECK_OK(transaction.commit(reader.header().commit_time));
  effects.count(reader.header().commit_time, checkpoint_boundary(), true);
  return reader.header().kind == RecordKind::kCatalog ? settle_replayed(state, reader.header().commit_time) : Status();
}

Status Store::settle_replayed(CatalogState& state, Time changed) {
  TRY(CatalogState::Changes changes, state.settle());
  for (const auto& takeover : changes.takeovers) CHECK_OK(copy_rows(*engine_, takeover.sources, *takeover.target));
  if (!changes.retired.empty()) retired_.emplace_back(changed, std::move(changes.retired));
  for (const auto& unfilled : changes.unfilled) {
    CHECK_OK(fill_index(*this, unfilled.records, unfilled.index));
  }
  return {};  // Dropped tables go with the orphans.
}

Result<std::vector<TableId>> Store::find_orphans(const CatalogState& state) {
  std::vector<TableId> orphans;
  std::set<TableId> retired;
  for (const auto& [changed, tables] : retired_) retired.insert(tables.begin(), tables.end());
  const std::set<std::string> known = state.table_names();
  TRY(const std::vector<std::string> on_disk, engine_->table_names());
  for (const std::string& name : on_disk) {
    const bool own = name == kCatalogTable || name == kRetryTable || name == kStateTable;
    if (own || known.contains(name)) continue;
    if (const TableId table = engine_->table(name); !retired.contains(table)) orphans.push_back(table);
  }
  return orphans;
}

// What a kill in the middle of making or dropping a table leaves: a file that the engine's metadata does not name.
Status Store::remove_stray_files() {
  TRY(const std::vector<std::string> tables, engine_->table_names());
  return remove_unnamed_files(options_.engine.path, {tables.begin(), tables.end()});
}

void Store::sync_log() {
  if (Status status = log_files_.sync(); !status.ok()) {
    // A failed sync cannot be tried again: the kernel may have dropped the pages. Nobody must be told that they are safe.
    end_process(22436, "The log could not be synced", status);
  }
}

void Store::when_durable(std::function<void()> synced) { journal_->when_synced(std::move(synced)); }

Status Store::checkpoint() { return checkpointer_->take(); }

void Store::checkpoint_soon() { checkpointer_->hurry(); }

std::shared_lock<std::shared_mutex> Store::hold_past() { return checkpointer_->hold_past(); }

std::unique_lock<std::mutex> Store::hold_checkpoints() { return checkpointer_->hold(); }

const Repeated& Store::checkpoints() const { return checkpointer_->outcomes(); }

}  // namespace partita::shards
