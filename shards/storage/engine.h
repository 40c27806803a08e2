// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <wiredtiger.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "shards/storage/error.h"
#include "shards/storage/eviction_pace.h"
#include "shards/storage/table_set.h"

namespace partita::shards {

class Session;

struct EngineOptions {
  std::string path;
  std::uint64_t cache_bytes = 512ull << 20;
  /// Leaves freeing memory at the end to the process's own end: a server that stops need not tidy up its cache.
  bool quick_exit = false;
  std::string extra;  ///< Appended to the connection's configuration: fault injection in tests.
};

/// The one WiredTiger connection of the server: tables, sessions, timestamps, checkpoints.
/// Thread-safe. Sessions leased from it must be back before it is destroyed.
class Engine final : public TableSet {
 public:
  static Result<std::unique_ptr<Engine>> open(EngineOptions options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Leaves the directory as it is when this is destroyed, as a crash would: no closing checkpoint.
  void abandon() { abandoned_ = true; }

  Result<TableId> create_table(const std::string& name, TableKind kind) override;
  TableId table(const std::string& name) override;
  /// Closes cached cursors first.
  Status drop_table(TableId id) override;
  bool is_dropped(TableId id) const;
  std::uint64_t cache_bytes() const { return options_.cache_bytes; }
  /// Names of all tables on disk, for finding those that no catalog row knows.
  Result<std::vector<std::string>> table_names();
  const char* uri(TableId id) const;
  /// 0 for a table whose file is not there.
  Result<std::int64_t> file_size(TableId id);

  /// Everything committed at or before `stable` may go into checkpoints; nothing reads before `oldest`.
  Status set_stable(std::uint64_t stable, std::uint64_t oldest);
  /// The oldest time kept, as set_stable() or, at the start, the last checkpoint has it; 0 in an empty store.
  std::uint64_t oldest();
  /// The stable time of the checkpoint that this start began from; 0 for an empty directory.
  std::uint64_t recovery_time() const { return recovery_time_; }
  Status checkpoint();
  /// Late at first, for a start may have much to replay. Waits for a checkpoint that is being taken.
  Status set_eviction(Eviction eviction);
  static constexpr Eviction kEvictionAtFirst = Eviction::kLate;

  /// Sessions that somebody has leased: none while nothing is read or written.
  std::size_t sessions_in_use();

  WT_CONNECTION* connection() const { return connection_; }

  /// The jobs that hold a session at this moment.
  struct Lease {
    Session* session;
    std::uint64_t number;
  };
  std::vector<Lease> leases();
  /// Forgets those of them that have ended. True when none is left.
  static bool have_ended(std::vector<Lease>& leases);

  // For SessionLease, and for threads that end, only.
  Result<Session*> acquire();
  void release(Session* session);
  void pool(Session* session);

 private:
  explicit Engine(EngineOptions options);
  void close_cursors(TableId id);
  Result<Session*> find_session();

  EngineOptions options_;
  WT_CONNECTION* connection_ = nullptr;
  std::uint64_t recovery_time_ = 0;
  bool abandoned_ = false;
  const std::uint64_t identity_ = next_identity_.fetch_add(1);

  mutable std::mutex tables_mutex_;
  std::deque<std::string> uris_;  ///< By TableId; a deque, so that pointers into it stay.
  std::unordered_map<std::string, TableId> ids_;

  std::mutex sessions_mutex_;
  std::vector<std::unique_ptr<Session>> sessions_;  ///< All that were ever opened.
  std::vector<Session*> idle_;

  static std::atomic<std::uint64_t> next_identity_;
};

}  // namespace partita::shards
