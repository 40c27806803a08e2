// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands/current_operations.h"

#include <algorithm>

#include "commands/host.h"
#include "commands/server.h"
#include "commands/shown_operation.h"
#include "shards/indexes/build_progress.h"
#include "wire/log/local_time.h"

namespace partita::commands {
namespace {

using std::chrono::microseconds;

void write_client(bson::Writer& row, const ClientConnection& client) {
  row.add("desc", client.name());
  row.add("connectionId", client.peer().connection_id);
  row.add("client", client.peer().remote);
  if (const std::string_view name = client.application_name(); !name.empty()) row.add("appName", name);
  if (!client.metadata().view().empty()) row.add("clientMetadata", client.metadata().view());
}

void write_times(bson::Writer& row, const CurrentOperation& running) {
  const auto elapsed = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - running.started);
  row.add("secs_running", std::chrono::duration_cast<std::chrono::seconds>(elapsed).count());
  row.add("microsecs_running", elapsed.count());
}

/// In mongod's words, its name of the work said twice.
void write_build(bson::Writer& row, const shards::BuildProgress& build) {
  using Phase = shards::BuildProgress::Phase;
  const Phase phase = build.phase;
  if (phase == Phase::kWaiting) return;
  const bool indexes = build.work == shards::BuildProgress::Work::kIndexes;
  if (phase == Phase::kCatchingUp) {
    return row.add("msg", indexes ? "Index Build: draining writes received during build"
                                  : "Repartition: following writes received during the copying");
  }
  const bool loads = phase == Phase::kLoading;
  const std::string_view what = loads     ? "Index Build: inserting keys from external sorter into index"
                                : indexes ? "Index Build: scanning collection"
                                          : "Repartition: copying documents";
  const std::int64_t done = loads ? build.entries : build.done;
  const std::int64_t total = std::max<std::int64_t>({loads ? build.all_entries : build.total, done, 1});
  row.add("msg", ::partita::detail::join(what, " ", what, ": ", done, "/", total, " ", done * 100 / total, "%"));
  bson::Writer progress = row.document("progress");
  progress.add("done", done);
  progress.add("total", total);
}

bson::Document describe(Server& server, const ClientConnection& client, const CurrentOperation& running) {
  return bson::Document::build([&](bson::Writer& row) {
    const bool active = running.id != 0;
    row.add("type", "op");
    row.add("host", host_and_port(server.settings.net.port));
    write_client(row, client);
    row.add("active", active);
    std::string now;
    log::append_local_time(std::chrono::system_clock::now(), now);
    row.add("currentOpTime", now);
    if (!active) return;
    row.add("opid", running.id);
    if (running.session) row.document("lsid").uuid("id", *running.session);
    write_times(row, running);
    row.add("op", operation_kind(running.command));
    row.add("ns", running.ns);
    row.add("command", running.body.view());
    if (running.build != nullptr) write_build(row, *running.build);
    row.add("numYields", std::int32_t{0});
    row.add("waitingForLock", false);
    if (running.killed.thrown()) row.add("killPending", true);
  });
}

bson::Document describe(Server& server, const ClientCursor& cursor) {
  return bson::Document::build([&](bson::Writer& row) {
    row.add("type", "idleCursor");
    row.add("host", host_and_port(server.settings.net.port));
    row.add("ns", cursor.ns);
    if (cursor.session) row.document("lsid").uuid("id", *cursor.session);
    row.add("planSummary", cursor.execution->plan_summary());
    bson::Writer told = row.document("cursor");
    told.add("cursorId", cursor.id);
    told.add("createdDate", cursor.created);
    told.add("lastAccessDate", cursor.last_access);
    told.add("nDocsReturned", cursor.documents_returned);
    told.add("nBatchesReturned", cursor.batches_returned);
    told.add("noCursorTimeout", cursor.no_timeout);
    told.add("tailable", cursor.execution->tailable());
    told.add("awaitData", cursor.execution->awaited() != nullptr);
    told.add("originatingCommand", cursor.command.view());
  });
}

}  // namespace

std::vector<bson::Document> current_operations(Server& server, const OperationFilter& filter) {
  std::vector<bson::Document> rows;
  server.connections.for_each([&](ClientConnection& client) {
    if (filter.only != nullptr && filter.only != &client) return;
    const std::lock_guard lock(client.current_mutex());
    if (client.current().id == 0 && !filter.idle_connections) return;
    rows.push_back(describe(server, client, client.current()));
  });
  if (filter.idle_cursors) {
    server.cursors.for_each_idle([&](const ClientCursor& cursor) { rows.push_back(describe(server, cursor)); });
  }
  return rows;
}

std::size_t kill_operations(Server& server, const std::function<bool(const CurrentOperation&)>& which) {
  std::size_t killed = 0;
  server.connections.for_each([&](ClientConnection& client) {
    const std::lock_guard lock(client.current_mutex());
    CurrentOperation& running = client.current();
    if (running.id == 0 || !which(running)) return;
    running.killed.kill();
    ++killed;
  });
  return killed;
}

}  // namespace partita::commands
