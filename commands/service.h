// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "wire/net/service.h"

namespace partita::commands {

struct Server;

/// What the network sees of the commands: it opens a ClientConnection for every connection.
class CommandService final : public wire::Service {
 public:
  explicit CommandService(Server& server) : server_(server) {}
  std::unique_ptr<wire::Conversation> open(std::shared_ptr<wire::Peer> peer) override;

 private:
  Server& server_;
};

}  // namespace partita::commands
