// SPDX-License-Identifier: GPL-3.0-or-later
#include <wiredtiger.h>

#include "commands/arguments.h"
#include "commands/operation.h"
#include "commands/version.h"
#include "wire/bson/validate.h"

namespace partita::commands {
namespace {

void write_environment(bson::Writer& reply) {
  bson::Writer environment = reply.document("buildEnvironment");
  environment.add("distarch", "x86_64");
  environment.add("cxx", "g++ " __VERSION__);
  environment.add("target_arch", "x86_64");
  environment.add("target_os", "linux");
}

/// The truth beside what clients need to hear.
void write_ourselves(bson::Writer& reply) {
  bson::Writer ourselves = reply.document("partita");
  ourselves.add("version", PARTITA_VERSION);
  ourselves.add("wiredTiger", WIREDTIGER_VERSION_STRING);
}

Status build_info(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("buildInfo", op.request()));
  reply.add("version", kMongoVersion);
  reply.add("gitVersion", "partita-" PARTITA_VERSION);
  reply.array("modules").close();
  reply.add("allocator", "system");
  reply.add("javascriptEngine", "none");
  reply.add("sysInfo", "deprecated");
  {
    bson::ArrayWriter parts = reply.array("versionArray");
    for (const std::int32_t part : kMongoVersionArray) parts.push(part);
  }
  {
    bson::Writer openssl = reply.document("openssl");
    openssl.add("running", "disabled");
    openssl.add("compiled", "disabled");
  }
  write_environment(reply);
  reply.add("bits", static_cast<std::int32_t>(sizeof(void*) * 8));
#ifdef NDEBUG
  reply.add("debug", false);
#else
  reply.add("debug", true);
#endif
  reply.add("maxBsonObjectSize", static_cast<std::int32_t>(bson::kMaxDocumentSize));
  reply.array("storageEngines").push("wiredTiger");
  write_ourselves(reply);
  return {};
}

const Register kBuildInfo{{
    .name = "buildInfo",
    .aliases = {"buildinfo"},
    .help = "Version and build: MongoDB's that clients may count on, and Partita's own.",
    .rights = Rights::kNone,
    .run = build_info,
}};

}  // namespace
}  // namespace partita::commands
