// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/finished_operation.h"

#include "commands/index_use.h"
#include "commands/profiler/profile_document.h"
#include "commands/server.h"
#include "commands/slow_log.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

void count(Server& server, const FinishedOperation& finished) {
  const Operation& operation = finished.operation;
  const std::int64_t micros = std::chrono::duration_cast<std::chrono::microseconds>(finished.took).count();
  server.metrics.count({.command = &operation.command(),
                        .micros = micros,
                        .failed = !finished.status.ok(),
                        .bytes_in = operation.request().wire_size,
                        .bytes_out = finished.reply.size(),
                        .documents = operation.stats().documents});
  if (operation.command().target != Target::kCollection || !operation.target().is_string()) return;
  server.namespace_times.count(server.store.catalog().snapshot(), operation.db(), operation.target().as_string(),
                               NamespaceTimes::kind_of(operation.command().name), micros);
}

/// True where it goes into the log.
bool profile(Server& server, const FinishedOperation& finished) {
  const OperationStats& stats = finished.operation.stats();
  const auto ns = profiled_namespace(finished.operation);
  // Statements have been told each by itself.
  if (!ns || stats.told_statements) return stats.logs_statements || (is_slow(finished.took) && is_sampled());
  return server.profiler.offer(ns->db(), finished.took, [&] { return profile_document(finished, *ns); });
}

}  // namespace

void note_finished(Server& server, const FinishedOperation& finished) {
  count(server, finished);
  bool logged = false;
  if (finished.operation.watched()) [[unlikely]] {
    logged = profile(server, finished);
  } else {
    logged = is_slow(finished.took) && is_sampled();
  }
  if (logged) [[unlikely]] log_slow(finished);
  if (finished.operation.command().rights == Rights::kDatabaseAdmin) forget_index_uses(server.store.catalog());
}

}  // namespace partita::commands
