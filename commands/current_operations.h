// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <vector>

#include "commands/client_connection.h"

namespace partita::commands {

/// Which rows currentOp and `$currentOp` show.
struct OperationFilter {
  bool idle_connections = false;
  bool idle_cursors = false;
  const ClientConnection* only = nullptr;  ///< nullptr for everybody's.
};

/// One document for each operation that runs (or, if asked for, for each connection that does not, and for each cursor that
/// nobody reads from just now), with what it does,
/// for whom and for how long. Point operations on a connection's core are over before anybody could look.
std::vector<bson::Document> current_operations(Server& server, const OperationFilter& filter);

/// Tells the operations that `which` picks to stop at their next check. Returns how many there were. `which` sees each
/// under its connection's lock.
std::size_t kill_operations(Server& server, const std::function<bool(const CurrentOperation&)>& which);

}  // namespace partita::commands
