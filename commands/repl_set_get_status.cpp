// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"
#include "wire/bson/document.h"

namespace partita::commands {
namespace {

struct ReplSetGetStatusRequest {
  bool initial_sync = false;
};
const Arguments<ReplSetGetStatusRequest> kArguments{
    {"initialSync", &ReplSetGetStatusRequest::initial_sync},
    {"forShell", nullptr},  // Only keeps the answer out of getLastError, which is gone.
};

/// Monitoring tools tell a router by this answer.
Status repl_set_get_status(Operation& op, bson::Writer&) {
  TRY([[maybe_unused]] const ReplSetGetStatusRequest request, kArguments.parse("replSetGetStatus", op.request()));
  const bson::Document details = bson::Document::build([](bson::Writer& to) { to.add("info", "mongos"); });
  const auto bytes = details.view().bytes();
  return error(Code::NoReplicationEnabled, "replSetGetStatus is not supported through mongos")
      .with_details({bytes.begin(), bytes.end()});
}

const Register kReplSetGetStatus{{
    .name = "replSetGetStatus",
    .help = "Refused, as by any router: a replica set's state is a matter of its members.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = repl_set_get_status,
}};

}  // namespace
}  // namespace partita::commands
