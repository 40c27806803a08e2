// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "shards/balance/options.h"

namespace partita::commands::parameters {

/// What partitionSizeLimitBytes, enableAutoSplit and their like set: a store is opened with it.
const std::shared_ptr<shards::BalanceOptions>& balance_options();

}  // namespace partita::commands::parameters
