// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/server_parameters.h"

namespace partita::commands::parameters {

Flag enable_test_commands{{.name = "enableTestCommands",
                           .summary = "Offers the commands that only tests need, such as configureFailPoint.",
                           .when = When::kStartup}};

// Far below the engine's sessions (4096), of which a thread holds one or two.
Whole max_worker_threads{{.name = "partitaMaxWorkerThreads",
                          .summary = "How many long operations run side by side; more wait for their turn."},
                         {.initial = 128, .least = 8, .most = 1024}};

Whole max_leg_threads{{.name = "partitaMaxLegThreads",
                       .summary = "How many threads help queries that read several partitions at once, all together."},
                      {.initial = 64, .least = 1, .most = 1024}};

Whole session_timeout_minutes{{.name = "localLogicalSessionTimeoutMinutes",
                               .summary = "How long after its last write a session's statements are known again.",
                               .when = When::kStartup},
                              {.initial = 30, .least = 1, .most = 60 * 24 * 365}};

Whole cursor_monitor_seconds{{.name = "clientCursorMonitorFrequencySecs",
                              .summary = "How often cursors that have timed out are looked for."},
                             {.initial = 4, .least = 1, .most = 3600}};

}  // namespace partita::commands::parameters
