// SPDX-License-Identifier: GPL-3.0-or-later
#include <csignal>
#include <unistd.h>

#include "commands/arguments.h"
#include "commands/client_connection.h"
#include "wire/log/log.h"

namespace partita::commands {
namespace {

struct ShutdownRequest {
  std::int64_t timeout_s = 0;
};
const Arguments<ShutdownRequest> kArguments{
    {"force", nullptr},  // Overrules a replica set's objections, of which there are none.
    {"timeoutSecs", &ShutdownRequest::timeout_s},
};

/// The signal's way out is the only one: it lets work in hand finish and closes the store.
Status shutdown(Operation& op, bson::Writer&) {
  TRY(const ShutdownRequest request, kArguments.parse("shutdown", op.request()));
  if (request.timeout_s < 0) return error(Code::BadValue, "timeoutSecs must not be negative: ", request.timeout_s);
  log::info(log::Component::kCommand, 4695400, "Terminating via shutdown command",
            {{"remote", op.client().peer().remote}});
  op.close_connection();
  if (::kill(::getpid(), SIGTERM) != 0) return error(Code::InternalError, "cannot send the server its signal to stop");
  return {};
}

const Register kShutdown{{
    .name = "shutdown",
    .help = "Stops the server: no new connections, work in hand finishes, the store is closed.",
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = shutdown,
}};

}  // namespace
}  // namespace partita::commands
