// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>

#include "shards/catalog/catalog.h"
#include "shards/log/applier.h"
#include "shards/log/embedded_log.h"
#include "shards/log/log_holds.h"
#include "shards/log/random.h"
#include "shards/snapshot/past_pin.h"
#include "shards/storage/temporary_files.h"

namespace partita::wire {
class Periodic;
}

namespace partita::shards {

class Balancer;
struct BalanceOptions;
struct BuildOptions;
class Checkpointer;
class JournalSync;
class Mover;
struct MoveOptions;
class Repeated;
class RetryReaper;
struct SavedState;
struct TtlOptions;
class TtlMonitor;

struct StoreOptions {
  EngineOptions engine;
  std::uint32_t checkpoint_seconds = 60;
  bool checkpoint_after_replay = true;  ///< At once, not when its time comes.
  bool checkpoint_after_copy = true;    ///< The same, so that the tables copied from can go.
  std::uint64_t log_retention_bytes = 1ull << 30;
  std::uint64_t log_file_bytes = 32ull << 20;  ///< The log is cut off by whole files.
  std::uint32_t journal_interval_ms = 100;
  /// Who follows the log works off the keys that it names when they take so much memory.
  std::size_t touched_key_bytes = 32 << 20;
  std::uint32_t session_timeout_seconds = 30 * 60;  ///< Statements of a session are remembered so long after its last write.
  std::shared_ptr<const MoveOptions> moves;  ///< Null: what they are at first.
  std::uint64_t seed = RandomSource::system_seed();
  std::shared_ptr<BalanceOptions> balance;  ///< Null: what they are at first.
  std::shared_ptr<const TtlOptions> ttl;    ///< The same.
  std::shared_ptr<const BuildOptions> builds;  ///< The same.
};

/// Everything that is stored: opened from one directory, recovered, and kept in shape by its background threads.
/// Thread-safe.
class Store {
 public:
  /// Opens or creates; replays the log behind the last checkpoint; removes tables that no catalog row knows.
  static Result<std::unique_ptr<Store>> open(StoreOptions options, const WallClock& wall);
  /// Takes a last checkpoint, so that the next start has nothing to replay.
  ~Store();

  Engine& engine() { return *engine_; }
  Catalog& catalog() { return *catalog_; }
  HybridClock& clock() { return clock_; }
  Positions& positions() { return positions_; }
  RandomSource& random() { return random_; }
  ObjectIdSource& object_ids() { return object_ids_; }
  PartitionLog& log(LogId id) { return logs_[static_cast<std::size_t>(id)]; }
  /// Brings all that has been written to the log to the disk. Blocks.
  void sync_log();
  LogHolds& log_holds() { return log_holds_; }
  Epoch epoch(LogId id) const { return logs_[static_cast<std::size_t>(id)].epoch(); }
  Applier::Tables tables() const { return tables_; }
  TableId state_table() const { return state_table_; }
  const StoreOptions& options() const { return options_; }
  Balancer& balancer() { return *balancer_; }
  /// For what is sorted and does not fit into memory.
  query::RunFiles& run_files() { return run_files_; }
  TtlMonitor& ttl() { return *ttl_; }

  /// Calls `synced`, on another thread, once everything written before this call is on disk.
  void when_durable(std::function<void()> synced);
  /// Takes a checkpoint now. Blocks until it is on disk.
  Status checkpoint();
  /// Has the background take one as soon as it can.
  void checkpoint_soon();
  /// The moment of the last one that is on disk.
  Time checkpointed() const { return checkpointed_.load(std::memory_order_acquire); }
  void set_checkpointed(Time boundary) { checkpointed_.store(boundary, std::memory_order_release); }
  /// How checkpoints have gone since the start.
  const Repeated& checkpoints() const;
  /// While it is held, whoever takes a time finds that time's versions still there. Hold it from taking the time until a
  /// transaction that reads at it has begun, which pins the past by itself; no longer, for versions pile up.
  [[nodiscard]] std::shared_lock<std::shared_mutex> hold_past();
  /// Moments that are kept for longer, by readers who hold no transaction open.
  PastPins& past_pins() { return past_pins_; }
  /// While it is held no checkpoint is under way: files may be copied as a kill would leave them.
  [[nodiscard]] std::unique_lock<std::mutex> hold_checkpoints();
  /// The last checkpoint's moment: changes after it are counted apart until the next one.
  Time checkpoint_boundary() const { return checkpoint_boundary_.load(std::memory_order_acquire); }
  void set_checkpoint_boundary(Time boundary) { checkpoint_boundary_.store(boundary, std::memory_order_release); }

 private:
  Store(StoreOptions options, const WallClock& wall);
  Status open_tables();
  Result<SavedState> load_saved();
  Status recover(const SavedState& saved);
  Result<CatalogState> load_catalog();
  Status restore_counts(CatalogState& state);
  Status replay(CatalogState& state, const SavedState& saved);
  Status replay_record(Session& session, Bytes record, CatalogState& state);
  Status settle_replayed(CatalogState& state, Time changed);
  Result<std::vector<TableId>> find_orphans(const CatalogState& state);
  Status remove_stray_files();

  const StoreOptions options_;
  HybridClock clock_;
  Positions positions_;
  RandomSource random_;
  ObjectIdSource object_ids_;
  TemporaryFiles run_files_;
  std::unique_ptr<Engine> engine_;
  Applier::Tables tables_;
  TableId state_table_ = kNoTable;
  std::uint64_t replayed_ = 0;             ///< Records applied again at this start.
  std::uint64_t replayed_data_bytes_ = 0;  ///< The part of them that lies in the data log.
  std::vector<std::pair<Time, std::vector<TableId>>> retired_;  ///< By the replay: tables of the last checkpoint's.
  LogFiles log_files_;
  std::array<EmbeddedLog, 2> logs_;
  LogHolds log_holds_;
  PastPins past_pins_;
  std::unique_ptr<Catalog> catalog_;
  std::atomic<Time> checkpoint_boundary_{0};
  std::atomic<Time> checkpointed_{0};
  std::unique_ptr<JournalSync> journal_;
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<RetryReaper> reaper_;
  std::unique_ptr<wire::Periodic> reaping_;
  std::unique_ptr<Balancer> balancer_;
  std::unique_ptr<Mover> mover_;
  std::unique_ptr<TtlMonitor> ttl_;
};

}  // namespace partita::shards
