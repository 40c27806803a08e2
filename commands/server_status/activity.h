// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace partita::commands {

struct Server;

struct Activity {
  std::int32_t active = 0;
  std::int32_t writers = 0;  ///< Of those that are active.
};

/// Operations that a worker runs or that wait; what runs on a core is over before it could be counted.
Activity count_activity(Server& server);

}  // namespace partita::commands
