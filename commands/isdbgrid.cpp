// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/host.h"
#include "commands/operation.h"

namespace partita::commands {
namespace {

Status isdbgrid(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("isdbgrid", op.request()));
  reply.add("isdbgrid", std::int32_t{1});
  reply.add("hostname", host_name());
  return {};
}

const Register kIsDbGrid{{
    .name = "isdbgrid",
    .help = "Answers at all: that is how a router is told from a single server.",
    .rights = Rights::kNone,
    .run = isdbgrid,
}};

}  // namespace
}  // namespace partita::commands
