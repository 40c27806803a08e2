// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"

namespace partita::commands {
namespace {

struct DefaultsRequest {
  bool in_memory = false;
};
const Arguments<DefaultsRequest> kArguments{{"inMemory", &DefaultsRequest::in_memory}};

Status get_default_rw_concern(Operation& op, bson::Writer& reply) {
  TRY([[maybe_unused]] const DefaultsRequest request, kArguments.parse("getDefaultRWConcern", op.request()));
  reply.document("defaultReadConcern").add("level", "local");
  {
    bson::Writer concern = reply.document("defaultWriteConcern");
    concern.add("w", std::int32_t{1});
    concern.add("wtimeout", std::int32_t{0});
  }
  reply.add("defaultWriteConcernSource", "implicit");
  reply.add("defaultReadConcernSource", "implicit");
  return {};
}

const Register kGetDefaultRwConcern{{
    .name = "getDefaultRWConcern",
    .help = "The read and write concern of requests that name none.",
    .rights = Rights::kClusterMonitor,
    .target = Target::kAdmin,
    .run = get_default_rw_concern,
}};

}  // namespace
}  // namespace partita::commands
