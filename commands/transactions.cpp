// SPDX-License-Identifier: GPL-3.0-or-later
//
// The end of a transaction. What belongs to one is refused before its command is looked at (GenericArguments), so that
// these two only ever meet a client that is in none.
#include "commands/arguments.h"
#include "commands/operation.h"

namespace partita::commands {
namespace {

Status refuse_outside(Operation& operation, bson::Writer&) {
  CHECK_OK(no_arguments(operation.command().name, operation.request()));
  return error(Code::CommandFailed, operation.command().name, " must be run within a transaction");
}

Command refused(std::string_view name) {
  return {
      .name = name,
      .help = "Refused: there are no transactions of several statements yet.",
      .rights = Rights::kNone,
      .target = Target::kAdmin,
      .takes_write_concern = true,
      .stable_api = true,
      .run = refuse_outside,
  };
}

const Register kCommit{refused("commitTransaction")};
const Register kAbort{refused("abortTransaction")};

}  // namespace
}  // namespace partita::commands
