// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/service.h"

#include "commands/client_connection.h"

namespace partita::commands {

std::unique_ptr<wire::Conversation> CommandService::open(std::shared_ptr<wire::Peer> peer) {
  return std::make_unique<ClientConnection>(server_, std::move(peer));
}

}  // namespace partita::commands
