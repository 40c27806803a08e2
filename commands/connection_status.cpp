// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"

namespace partita::commands {
namespace {

struct ConnectionStatusRequest {
  bool show_privileges = false;
};
const Arguments<ConnectionStatusRequest> kArguments{{"showPrivileges", &ConnectionStatusRequest::show_privileges}};

/// Nobody logs in as long as there are no users: the lists are empty, and tools take that for "everything is allowed".
Status connection_status(Operation& op, bson::Writer& reply) {
  TRY(const ConnectionStatusRequest request, kArguments.parse("connectionStatus", op.request()));
  bson::Writer auth = reply.document("authInfo");
  auth.array("authenticatedUsers").close();
  auth.array("authenticatedUserRoles").close();
  if (request.show_privileges) auth.array("authenticatedUserPrivileges").close();
  return {};
}

const Register kConnectionStatus{{
    .name = "connectionStatus",
    .help = "Who is logged in on this connection, and with showPrivileges what they may do.",
    .rights = Rights::kNone,
    .run = connection_status,
}};

}  // namespace
}  // namespace partita::commands
