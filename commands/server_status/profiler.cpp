// SPDX-License-Identifier: GPL-3.0-or-later
//
// What has become of the documents of profiled operations.
#include "commands/server.h"
#include "commands/server_status/section.h"

namespace partita::commands {
namespace {

Status write_profiler(Server& server, bson::Writer& section) {
  const ProfileWriter::Figures figures = server.profiler.writer().figures();
  section.add("totalWrites", figures.written);
  section.add("dropped", figures.dropped);
  section.add("waiting", figures.waiting);
  return {};
}

const RegisterSection kProfiler{{.name = "profiler", .write = write_profiler}};

}  // namespace
}  // namespace partita::commands
