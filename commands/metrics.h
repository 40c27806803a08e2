// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "commands/command.h"

namespace partita::commands {

/// A number that many threads add to and few read: a relaxed addition to memory that usually no other core touches.
class Counter {
 public:
  void add(std::int64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }
  std::int64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

/// What operations did to documents, for opcounters and metrics.document.
struct DocumentCounts {
  std::int64_t returned = 0;
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t deleted = 0;
  std::int64_t update_statements = 0;
  std::int64_t delete_statements = 0;
  std::int64_t keys_examined = 0;
  std::int64_t docs_examined = 0;
};

/// Everything that a server counts of its commands. Threads add to stripes of their own, about 20 ns a command in all;
/// readers sum the stripes up and get numbers that were true within the last moment.
class Metrics {
 public:
  static constexpr std::size_t kMaxCommands = 256;

  struct Finished {
    const Command* command = nullptr;
    std::int64_t micros = 0;
    bool failed = false;
    std::size_t bytes_in = 0;
    std::size_t bytes_out = 0;
    DocumentCounts documents;
  };
  void count(const Finished& finished);
  /// Refused before any command was found: unknown names, broken arguments.
  void count_refused(std::size_t bytes_in, std::size_t bytes_out);

  struct CommandTotals {
    std::int64_t total = 0;
    std::int64_t failed = 0;
    std::int64_t micros = 0;
  };
  CommandTotals of(const Command& command) const;

  struct NetworkTotals {
    std::int64_t requests = 0;
    std::int64_t bytes_in = 0;
    std::int64_t bytes_out = 0;
    std::int64_t refused = 0;
  };
  NetworkTotals network() const;
  DocumentCounts documents() const;

 private:
  struct CommandCounters {
    Counter total;
    Counter failed;
    Counter micros;
  };
  struct alignas(64) Stripe {
    Counter requests;
    Counter bytes_in;
    Counter bytes_out;
    Counter refused;
    Counter returned;
    Counter inserted;
    Counter updated;
    Counter deleted;
    Counter update_statements;
    Counter delete_statements;
    Counter keys_examined;
    Counter docs_examined;
    std::array<CommandCounters, kMaxCommands> commands;
  };
  static constexpr std::size_t kStripes = 8;

  Stripe& mine() { return stripes_[thread_number() % kStripes]; }
  static std::size_t thread_number();

  std::array<Stripe, kStripes> stripes_;
};

}  // namespace partita::commands
