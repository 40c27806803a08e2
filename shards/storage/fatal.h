// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

#include "wire/error/status.h"

namespace partita::shards {

/// What a process ends with that does not close its store: mongod's number.
constexpr int kAbruptExit = 14;

/// Writes the reason to the log and ends the process at once, as kill -9 would but with kAbruptExit: for when going on could
/// acknowledge or show what is not there. The next start's recovery decides from the log.
[[noreturn]] void end_process(int log_id, std::string_view what, const Status& why);

}  // namespace partita::shards
