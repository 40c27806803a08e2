// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "shards/expiry/ttl_monitor.h"

namespace partita::commands::parameters {

/// What ttlMonitorEnabled and ttlMonitorSleepSecs set: a store is opened with it.
const std::shared_ptr<shards::TtlOptions>& ttl_options();

}  // namespace partita::commands::parameters
