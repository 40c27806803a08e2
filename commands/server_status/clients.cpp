// SPDX-License-Identifier: GPL-3.0-or-later
//
// Who is connected and what they keep busy: connections, globalLock, network.
#include "commands/client_connection.h"
#include "commands/server.h"
#include "commands/server_status/activity.h"
#include "commands/server_status/section.h"
#include "wire/net/network.h"

namespace partita::commands {

Activity count_activity(Server& server) {
  Activity activity;
  server.connections.for_each([&](ClientConnection& client) {
    const std::lock_guard lock(client.current_mutex());
    const Command* command = client.current().command;
    const bool waits_for_news = command != nullptr && command->rights == Rights::kNone;  // A driver's hello does so all the time.
    if (client.current().id == 0 || waits_for_news) return;
    ++activity.active;
    if (command != nullptr && command->rights == Rights::kWrite) ++activity.writers;
  });
  return activity;
}

namespace {

Status write_connections(Server& server, bson::Writer& section) {
  const auto current = static_cast<std::int32_t>(server.connections.count());
  section.add("current", current);
  if (server.network != nullptr) {
    const wire::ConnectionCounts counts = server.network->counts();
    section.add("available", static_cast<std::int32_t>(counts.available));
    section.add("rejected", static_cast<std::int64_t>(counts.rejected));
  }
  section.add("totalCreated", server.connections.total());
  section.add("active", count_activity(server).active);
  return {};
}

/// Nothing takes a lock on everything here; tools read from this how busy the server is and how much waits.
Status write_global_lock(Server& server, bson::Writer& section) {
  const Activity activity = count_activity(server);
  const std::size_t waiting = server.network == nullptr ? 0 : server.network->workers().waiting();
  const auto up = std::chrono::steady_clock::now() - server.started;
  section.add("totalTime", std::int64_t{std::chrono::duration_cast<std::chrono::microseconds>(up).count()});
  {
    bson::Writer queue = section.document("currentQueue");
    queue.add("total", static_cast<std::int32_t>(waiting));
    queue.add("readers", static_cast<std::int32_t>(waiting));
    queue.add("writers", std::int32_t{0});
  }
  bson::Writer clients = section.document("activeClients");
  clients.add("total", activity.active);
  clients.add("readers", activity.active - activity.writers);
  clients.add("writers", activity.writers);
  return {};
}

Status write_network(Server& server, bson::Writer& section) {
  const Metrics::NetworkTotals totals = server.metrics.network();
  section.add("bytesIn", totals.bytes_in);
  section.add("bytesOut", totals.bytes_out);
  section.add("numRequests", totals.requests);
  return {};
}

const RegisterSection kConnections{{.name = "connections", .write = write_connections}};
const RegisterSection kGlobalLock{{.name = "globalLock", .write = write_global_lock}};
const RegisterSection kNetwork{{.name = "network", .write = write_network}};

}  // namespace
}  // namespace partita::commands
