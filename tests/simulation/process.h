// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <list>

#include "shards/log/draft.h"
#include "shards/log/random.h"
#include "tests/simulation/replica.h"
#include "tests/simulation/statement.h"

namespace partita::simulation {

/// What the nodes of one run share.
struct Surroundings {
  shards::VirtualTime time;
  shards::MemoryFaults faults;
  Topics topics;
  Judge judge;
  Sabotage sabotage = Sabotage::kNone;
  explicit Surroundings(std::uint64_t seed) : time(seed) {}
};

/// A wall clock that is wrong by a constant.
class SkewedClock final : public shards::WallClock {
 public:
  SkewedClock(const shards::VirtualTime& time, std::int64_t skew_ms) : time_(time), skew_ms_(skew_ms) {}
  std::int64_t now_ms() const override { return time_.now_ms() + skew_ms_; }

 public:
  const shards::VirtualTime& time_;
  const std::int64_t skew_ms_;
};

/// One run of a node between two crashes. As a follower it applies what others write; it becomes the primary by taking
/// both logs over and applying everything before that; then it executes statements, each in a transaction that stays open
/// until the log has answered. It need not know that it has been deposed: that is what fences are for.
class Process {
 public:
  Process(Surroundings& around, const char* node, std::uint64_t run, std::int64_t skew_ms, const Checkpoint& from);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// What a node does all the time: follows, becomes a primary, steps down. Called every few milliseconds.
  void turn();
  void take_over();
  bool is_primary() const { return role_ == Role::kPrimary; }
  /// The answer comes once, later or at once; after a crash never.
  void execute(const Statement& statement, Reply reply);
  void change_catalog(const CatalogChange& change, Reply reply);
  /// Tells followers how far they may go, in both logs.
  void tick();

  Replica& replica() { return replica_; }
  Status truncate(std::size_t log, shards::Sequence before) { return logs_[log]->truncate(before); }
  std::uint64_t barriers() const { return logs_[0]->barriers() + logs_[1]->barriers(); }

 public:
  using Session = shards::MemorySession;
  enum class Role : std::uint8_t { kFollower, kTakingOver, kPrimary };
  /// A change that waits for the log.
  struct Write {
    Write(Process& process, Reply reply)
        : process(process), session(process.replica_.tables()), reply(std::move(reply)) {}
    Process& process;
    Session session;
    shards::BasicDraft<Session> draft;
    shards::Append append;
    Status answer;  ///< For the client, if the record is acknowledged.
    Reply reply;
  };

  Write& begin(shards::RecordKind kind, shards::LogId log, Reply reply);
  void submit(Write& write);
  void finish(Write& write);
  void forget(const Write& write);
  Status commit(Write& write);
  Status show_catalog_rows(Write& write);
  /// Answers with something that changes nothing, once the log has confirmed that this node may speak.
  void confirm(Write& write, Status answer);
  Status draft(Write& write, const Statement& statement, const shards::Collection& collection);
  Status housekeep(Write& write, shards::PartitionId partition);
  Result<bool> is_repeated(Write& write, const shards::PartitionSlot& slot, const Statement& statement);
  Status insert(Write& write, const shards::Collection& collection, const Statement& statement, std::int64_t key);
  Status change(Write& write, const shards::Collection& collection, const Statement& statement);
  void start_catalog_change();
  Status draft_catalog_change(Write& write, const CatalogChange& change);
  Status draft_split(Write& write, const CatalogChange& change, const shards::Collection& collection);
  Status draft_merge(Write& write, const CatalogChange& change, const shards::Collection& collection);
  Status replace_partitions(Write& write, const shards::Collection& collection, std::size_t first, std::size_t end,
                            const std::vector<std::string>& bounds);
  Status draft_index_change(Write& write, const CatalogChange& change, const shards::Collection& collection);
  Status check_unique(const shards::Collection& collection, shards::IndexSpec spec);
  void acquire(shards::LogId log);
  void taken(const shards::Takeover& takeover);
  void become_primary();

  Surroundings& around_;
  const std::string name_;
  const SkewedClock wall_;
  shards::HybridClock clock_;
  shards::RandomSource random_;
  std::array<std::unique_ptr<shards::MemoryLog>, 2> logs_;
  Replica replica_;
  Role role_ = Role::kFollower;
  std::array<shards::Takeover, 2> takeovers_;
  bool tailing_ = true;  ///< The replica's tails stand where its state does.
  std::list<std::unique_ptr<Write>> writes_;
  std::optional<std::pair<CatalogChange, Reply>> waiting_change_;
  bool changing_catalog_ = false;
};

}  // namespace partita::simulation
