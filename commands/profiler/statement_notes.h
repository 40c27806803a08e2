// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "commands/modify.h"

namespace partita::commands {

/// Tells the profiler of one statement of a write, which MongoDB counts as an operation of its own. Made before it begins; it
/// costs a look at a bool where nobody watches.
class StatementNote {
 public:
  StatementNote(Operation& operation, const shards::Namespace& ns);

  void end(const UpdateStatement& statement, const Status& status, const Outcome& outcome);
  void end(const DeleteStatement& statement, const Status& status, const Outcome& outcome);
  /// Of documents that are inserted among other statements.
  void end_inserts(std::int64_t inserted);

 private:
  using Fields = std::function<void(bson::Writer& out)>;
  /// What it is called, and of what has a plan the command that it is of, with the name of its statements.
  struct Kind {
    std::string_view op;
    std::string_view command = {};
    std::string_view list = {};
    std::int64_t used = 0;
    std::int64_t modified = 0;
  };
  bson::Document alone(const Kind& kind, bson::View statement) const;
  void offer(const Kind& kind, const Status& status, const Fields& command, const Fields& counts);

  Operation& operation_;
  const shards::Namespace& ns_;
  SteadyTime begun_;
  std::int64_t keys_ = 0;
  std::int64_t documents_ = 0;
};

}  // namespace partita::commands
