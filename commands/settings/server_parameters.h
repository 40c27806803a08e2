// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/settings/parameters.h"

namespace partita::commands::parameters {

/// Commands that only tests need (configureFailPoint and others) exist when this is set at start.
extern Flag enable_test_commands;

}  // namespace partita::commands::parameters
