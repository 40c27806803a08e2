// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/operation.h"

namespace partita::commands {
namespace {

Status ping(Operation& op, bson::Writer&) { return no_arguments("ping", op.request()); }

const Register kPing{{
    .name = "ping",
    .help = "Answers, and does nothing else: whether the server is there and how far away.",
    .rights = Rights::kNone,
    .stable_api = true,
    .run = ping,
}};

}  // namespace
}  // namespace partita::commands
