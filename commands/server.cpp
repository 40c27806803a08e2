// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/server.h"

namespace partita::commands {

void Connections::add(ClientConnection* connection) {
  const std::lock_guard lock(mutex_);
  open_.insert(connection);
  count_.fetch_add(1, std::memory_order_relaxed);
  total_.fetch_add(1, std::memory_order_relaxed);
}

void Connections::remove(ClientConnection* connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
  count_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace partita::commands
