// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

struct FsyncRequest {
  bool lock = false;
};
const Arguments<FsyncRequest> kArguments{
    {"lock", &FsyncRequest::lock},
    {"async", nullptr},  // An old storage engine's; the checkpoint is always waited for.
    {"allowFsyncFailure", nullptr},  // Likewise: a failure is reported.
};

Status fsync(Operation& op, bson::Writer& reply) {
  TRY(const FsyncRequest request, kArguments.parse("fsync", op.request()));
  if (request.lock) {
    return error(Code::CommandNotSupported, "fsync with lock is not supported: backups read a snapshot instead");
  }
  CHECK_OK(op.server().store.checkpoint());
  reply.add("numFiles", std::int32_t{1});
  return {};
}

const Register kFsync{{
    .name = "fsync",
    .help = "Writes a checkpoint: everything acknowledged so far lies in data files afterwards.",
    .where = Where::kWorker,
    .rights = Rights::kClusterAdmin,
    .target = Target::kAdmin,
    .run = fsync,
}};

}  // namespace
}  // namespace partita::commands
