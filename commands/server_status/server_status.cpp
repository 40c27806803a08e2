// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include "commands/arguments.h"
#include "commands/host.h"
#include "commands/server.h"
#include "commands/server_status/section.h"
#include "commands/version.h"
#include "commands/wall_time.h"

namespace partita::commands {
namespace {

std::map<std::string_view, Section>& sections() {
  static std::map<std::string_view, Section> sections;
  return sections;
}

void write_head(Server& server, bson::Writer& reply) {
  using std::chrono::duration_cast;
  const auto up = std::chrono::steady_clock::now() - server.started;
  reply.add("host", host_and_port(server.settings.net.port));
  reply.add("version", kMongoVersion);
  reply.add("process", "mongos");
  reply.add("pid", static_cast<std::int64_t>(getpid()));
  reply.add("uptime", static_cast<double>(duration_cast<std::chrono::seconds>(up).count()));
  reply.add("uptimeMillis", static_cast<std::int64_t>(duration_cast<std::chrono::milliseconds>(up).count()));
  reply.add("uptimeEstimate", static_cast<std::int64_t>(duration_cast<std::chrono::seconds>(up).count()));
  reply.add("localTime", now_as_date());
}

/// The other fields switch sections on and off by name. Names without a section are left alone: tools switch off what
/// another version would send them.
Status server_status(Operation& op, bson::Writer& reply) {
  write_head(op.server(), reply);
  for (const auto& [name, section] : all_sections()) {
    const bson::Value asked = op.body()[name];
    if (!(asked.missing() ? section.by_default : asked.truthy())) continue;
    bson::Writer writer = reply.document(name);
    CHECK_OK(section.write(op.server(), writer));
  }
  return {};
}

const Register kServerStatus{{
    .name = "serverStatus",
    .help = "Counters and gauges of the whole server, by section; {metrics: 0} leaves one out.",
    .where = Where::kWorker,
    .rights = Rights::kClusterMonitor,
    .open_ended = true,
    .run = server_status,
}};

}  // namespace

RegisterSection::RegisterSection(const Section& section) { sections().emplace(section.name, section); }

const std::map<std::string_view, Section>& all_sections() { return sections(); }

}  // namespace partita::commands
