// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "shards/moves/mover.h"

namespace partita::commands::parameters {

/// What enableAutoMoveOut and its like set: a store is opened with it.
const std::shared_ptr<shards::MoveOptions>& move_options();

}  // namespace partita::commands::parameters
