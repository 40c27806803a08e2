// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/modify.h"

namespace partita::commands {

/// An update of a view in `config`: shells switch the balancer and its parts that way. What the change of a row means is
/// done, and anything else refused: nothing is stored there.
Status update_config_view(Operation& operation, const shards::Namespace& ns, const Change& change, Outcome& outcome);

}  // namespace partita::commands
