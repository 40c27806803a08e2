// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "shards/catalog/state.h"
#include "shards/log/applier.h"
#include "shards/storage/memory_tables.h"
#include "tests/simulation/judge.h"

namespace partita::simulation {

/// What somebody who sets out to prove that the simulation can fail takes away.
enum class Sabotage : std::uint8_t {
  kNone,
  kFence,    ///< Replicas apply void records too.
  kRetries,  ///< A statement that is sent again is done again.
  kLost,     ///< A lost write is reported as done.
  kConfirm,  ///< A primary that has taken the second log does not ask the first again.
};

/// Where a reader of one log stands.
struct Standing {
  shards::Fence fence;
  std::optional<std::uint64_t> hash;  ///< Of the record that it stands behind; not known behind one's own.
  shards::Time closed = 0;            ///< Nothing that counts and is not later comes behind.
};

/// All that is on a node's disk.
struct Checkpoint {
  shards::MemoryTables tables;
  std::array<Standing, 2> logs;
};

/// The state that the two logs make, in memory: the real applier and the real state machine of the catalog, over maps.
/// As a follower it reads both logs in the order of their times; as part of a primary it is told what has been committed.
class Replica {
 public:
  Replica(const char* node, Judge& judge, Sabotage sabotage, std::array<shards::PartitionLog*, 2> logs,
          const Checkpoint& from);

  /// Reads the logs on from where it stands: after having been a primary, and at first.
  Status open_tails();
  /// Applies what can be applied now: a record of one log as soon as the other cannot bring anything earlier.
  Status follow();
  /// Applies everything up to the records with which these epochs begin, in both logs; false when there have been later ones.
  Result<bool> follow_up_to(const std::array<shards::Epoch, 2>& epochs);
  Checkpoint checkpoint() const;

  // For a primary, whose changes have been applied in a transaction of its own.
  void committed(const shards::Position& position, shards::RecordKind kind);
  /// Shows the catalog's rows to its state machine, fills new indexes, removes tables.
  Status settle();

  const shards::Collection* find(const shards::Namespace& ns) const { return snapshot_->find(ns.full()); }
  shards::CatalogState& state() { return *state_; }
  shards::MemoryTables& tables() { return tables_; }
  shards::ApplierTables applier_tables() const { return applier_tables_; }
  const Standing& standing(shards::LogId log) const { return logs_[static_cast<std::size_t>(log)]; }
  /// Counters, and every index entry, against the documents.
  Status check();
  /// Documents and bytes of a range of record keys; an empty upper end is that of the table.
  shards::Growth measure(const shards::Partition& partition, const std::string& from, const std::string& to) const;

 private:
  using Epochs = std::array<shards::Epoch, 2>;
  Status load();
  /// Where a partition's range ends: the state machine's slots say only where it begins.
  std::string end_of(const shards::PartitionSlot& slot) const;
  Status read_heads(const Epochs* until);
  Status read_head(std::size_t log, const Epochs* until);
  Status take(std::size_t log, shards::Bytes record);
  Status apply_head(std::size_t log);

  const char* node_;
  Judge& judge_;
  const Sabotage sabotage_;
  const std::array<shards::PartitionLog*, 2> partition_logs_;
  shards::MemoryTables tables_;
  shards::ApplierTables applier_tables_;
  std::unique_ptr<shards::CatalogState> state_;
  std::shared_ptr<const shards::CatalogSnapshot> snapshot_;
  std::uint64_t version_ = 0;
  shards::BasicApplier<shards::MemorySession> applier_{shards::ApplierTables{}};
  std::array<Standing, 2> logs_;
  std::array<std::unique_ptr<shards::LogTail>, 2> tails_;
  std::array<std::optional<std::vector<std::uint8_t>>, 2> heads_;
};

}  // namespace partita::simulation
