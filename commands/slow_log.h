// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "commands/settings/parameters.h"
#include "commands/settings/settings.h"

namespace partita::commands {

struct FinishedOperation;

namespace parameters {
extern Whole slow_op_threshold_ms;
extern Real slow_op_sample_rate;
}  // namespace parameters

/// Before clients are served: what the settings say.
void set_slow_operations(const Settings::SlowOperations& settings);

/// Whether an operation of that length goes into the log. One comparison for those that do not.
inline bool is_slow(std::chrono::steady_clock::duration took) {
  return took >= std::chrono::milliseconds(parameters::slow_op_threshold_ms.get());
}

/// Whether this one of those is told of: a choice by chance, anew with each call.
bool is_sampled();

/// Writes the line "Slow query": what was asked, by whom, how it was done and how long it took.
void log_slow(const FinishedOperation& finished);

}  // namespace partita::commands
