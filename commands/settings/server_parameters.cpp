// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/settings/server_parameters.h"

namespace partita::commands::parameters {

Flag enable_test_commands{{.name = "enableTestCommands",
                           .summary = "Offers the commands that only tests need, such as configureFailPoint.",
                           .when = When::kStartup}};

}  // namespace partita::commands::parameters
