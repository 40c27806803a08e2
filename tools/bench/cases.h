// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tools/client/mongo.h"

namespace partita::bench {

/// What one client of one case does over and over. Its command is built once; an execution patches in the key.
/// Every answer is checked: a wrong one is a Problem, and ends the benchmark. One thread at a time.
class Operation {
 public:
  virtual ~Operation() = default;
  virtual client::Problem execute() = 0;
};

/// One client: its connection, its own stream of random numbers, its number among the clients of the case.
struct Seat {
  mongoc_client_t* client;
  std::uint64_t random;
  int index;

  std::uint64_t next();
  std::int32_t below(std::int32_t bound) {
    return static_cast<std::int32_t>(next() % static_cast<std::uint64_t>(bound));
  }
};

struct Case {
  std::string_view name;
  std::string_view title;
  int documents_per_operation = 1;  ///< The unit that CPU time is divided by.
  bool retryable = false;           ///< Clients ask for retryable writes, as drivers do unless told otherwise.
  bool fills = false;               ///< Inserts: its collection is dropped before every slice.
  bool partitioned = false;         ///< Works on the collections in partitions.
  std::unique_ptr<Operation> (*make)(Seat seat);
};

/// All cases, in the order of the report.
const std::vector<Case>& cases();

}  // namespace partita::bench
