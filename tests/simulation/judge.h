// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "shards/log/memory_log.h"

namespace partita::simulation {

using Topics = std::array<shards::MemoryTopic, 2>;

/// What a run has met: a run in which nothing goes wrong proves nothing.
struct Tally {
  std::uint64_t records = 0;
  std::uint64_t void_records = 0;
  std::uint64_t epochs = 0;
  std::uint64_t barriers = 0;
  std::uint64_t crashes = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t lost = 0;      ///< Answered as lost.
  std::uint64_t repeated = 0;  ///< Sent again and answered from the retry row.
  std::uint64_t catalog_changes = 0;
  Tally& operator+=(const Tally& more);
};

/// Hears of every state and every acknowledgement of all nodes, and says so when two do not fit together.
class Judge {
 public:
  /// `node` has applied everything up to this record, which is the same as saying what it must hold.
  void state(const char* node, shards::LogId log, shards::Sequence sequence, std::uint64_t hash);
  /// A client has been told that its write is there for good.
  void acknowledged(const shards::Position& position);
  void fail(std::string what);
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }

  /// At the end: which records of all that were ever written count, found by looking at each log from its beginning, in
  /// words of its own; and whether every acknowledged one is among them.
  void judge(const Topics& topics);
  Tally& tally() { return tally_; }

 private:
  struct Identity {
    shards::LogId log;
    shards::Epoch epoch;
    shards::Sequence sequence;
    auto operator<=>(const Identity&) const = default;
  };
  std::set<Identity> find_valid(const Topics& topics);

  std::map<std::pair<shards::LogId, shards::Sequence>, std::uint64_t> states_;
  std::set<Identity> acknowledged_;
  Tally tally_;
  std::string failure_;
};

}  // namespace partita::simulation
