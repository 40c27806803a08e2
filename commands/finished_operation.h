// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/operation.h"

namespace partita::commands {

/// A command whose answer stands.
struct FinishedOperation {
  const Operation& operation;
  const Status& status;
  std::chrono::steady_clock::duration took;
  bson::View reply;  ///< Empty where the connection is closed instead.
};

/// Tells it to all who want to know: counters, the times of namespaces, the log, the profiler.
void note_finished(Server& server, const FinishedOperation& finished);

}  // namespace partita::commands
