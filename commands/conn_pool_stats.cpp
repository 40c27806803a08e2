// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/arguments.h"
#include "commands/server.h"

namespace partita::commands {
namespace {

/// All data is local: there are no connections to other servers to count.
Status conn_pool_stats(Operation& op, bson::Writer& reply) {
  CHECK_OK(no_arguments("connPoolStats", op.request()));
  reply.add("numClientConnections", std::int32_t{0});
  reply.add("numAScopedConnections", std::int32_t{0});
  for (const char* total : {"totalInUse", "totalAvailable", "totalCreated", "totalRefreshing"}) {
    reply.add(total, std::int32_t{0});
  }
  for (const char* empty : {"pools", "hosts", "replicaSets"}) reply.document(empty).close();
  return {};
}

const Register kConnPoolStats{{
    .name = "connPoolStats",
    .help = "Connections that this server holds to others.",
    .rights = Rights::kClusterMonitor,
    .run = conn_pool_stats,
}};

}  // namespace
}  // namespace partita::commands
