// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <string>

namespace partita::log {

/// "2026-11-18T12:13:35.136+00:00": local time with its offset, as in every line of the log.
void append_local_time(std::chrono::system_clock::time_point when, std::string& out);

}  // namespace partita::log
