// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/client_connection.h"

namespace partita::commands {
namespace {

Status whatsmyuri(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("whatsmyuri", op.request()));
  reply.add("you", op.client().peer().remote);
  return {};
}

const Register kWhatsMyUri{{
    .name = "whatsmyuri",
    .help = "The address that the client's connection comes from.",
    .rights = Rights::kNone,
    .run = whatsmyuri,
}};

}  // namespace
}  // namespace partita::commands
