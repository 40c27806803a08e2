// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

/// Commands that only tests need (configureFailPoint and others) exist when this is set at start.
extern Flag enable_test_commands;
/// Long operations that run side by side; see wire::WorkerPool.
extern Whole max_worker_threads;
/// Threads that help with queries over several partitions.
extern Whole max_leg_threads;

/// What hello tells clients, and what the store is opened with.
extern Whole session_timeout_minutes;
/// From one look for cursors that have timed out to the next.
extern Whole cursor_monitor_seconds;

}  // namespace partita::commands::parameters
