// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "commands/client_connection.h"
#include "shards/indexes/build_progress.h"

namespace partita::commands {

/// Shows in currentOp how far long work on a collection has come, while it lives.
class ShownBuild {
 public:
  ShownBuild(ClientConnection& client, const shards::BuildProgress& progress) : client_(client) { set(&progress); }
  ShownBuild(const ShownBuild&) = delete;
  ShownBuild& operator=(const ShownBuild&) = delete;
  ~ShownBuild() { set(nullptr); }

 private:
  void set(const shards::BuildProgress* progress) {
    const std::lock_guard lock(client_.current_mutex());
    client_.current().build = progress;
  }
  ClientConnection& client_;
};

}  // namespace partita::commands
