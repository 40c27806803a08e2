// SPDX-License-Identifier: GPL-3.0-or-later
//
// What clients have asked for: opcounters, opLatencies, metrics, asserts.
#include "commands/server.h"
#include "commands/server_status/section.h"
#include "shards/expiry/ttl_monitor.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

enum class Group : std::uint8_t { kRead, kWrite, kOther };

Group group_of(const Command& command) {
  for (const std::string_view name : {"find", "getMore", "aggregate", "count", "distinct", "explain"}) {
    if (command.name == name) return Group::kRead;
  }
  return command.rights == Rights::kWrite ? Group::kWrite : Group::kOther;
}

std::int64_t total_of(Server& server, std::string_view name) {
  const Command* command = find_command(name);
  return command == nullptr ? 0 : server.metrics.of(*command).total;
}

/// As mongod counts: inserts by document, updates and deletes by statement, reads and the rest by request.
Status write_opcounters(Server& server, bson::Writer& section) {
  const DocumentCounts documents = server.metrics.documents();
  std::int64_t all = 0;
  for (const Command* command : all_commands()) all += server.metrics.of(*command).total;
  const std::int64_t finds = total_of(server, "find");
  const std::int64_t more = total_of(server, "getMore");
  const std::int64_t writes = total_of(server, "insert") + total_of(server, "update") + total_of(server, "delete");
  section.add("insert", documents.inserted);
  section.add("query", finds);
  section.add("update", documents.update_statements);
  section.add("delete", documents.delete_statements);
  section.add("getmore", more);
  section.add("command", all - finds - more - writes);
  return {};
}

Status write_latencies(Server& server, bson::Writer& section) {
  std::array<Metrics::CommandTotals, 3> groups{};
  for (const Command* command : all_commands()) {
    const Metrics::CommandTotals totals = server.metrics.of(*command);
    Metrics::CommandTotals& group = groups[static_cast<std::size_t>(group_of(*command))];
    group.total += totals.total;
    group.micros += totals.micros;
  }
  constexpr std::array<std::string_view, 3> kNames{"reads", "writes", "commands"};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    bson::Writer row = section.document(kNames[i]);
    row.add("latency", groups[i].micros);
    row.add("ops", groups[i].total);
  }
  return {};
}

void write_commands(Server& server, bson::Writer section) {
  for (const Command* command : all_commands()) {
    const Metrics::CommandTotals totals = server.metrics.of(*command);
    bson::Writer row = section.document(command->name);
    row.add("failed", totals.failed);
    row.add("total", totals.total);
    row.add("micros", totals.micros);
  }
}

Status write_metrics(Server& server, bson::Writer& section) {
  write_commands(server, section.document("commands"));
  const DocumentCounts counts = server.metrics.documents();
  {
    bson::Writer document = section.document("document");
    document.add("deleted", counts.deleted);
    document.add("inserted", counts.inserted);
    document.add("returned", counts.returned);
    document.add("updated", counts.updated);
  }
  {
    const Cursors::Counts cursors = server.cursors.counts();
    bson::Writer cursor = section.document("cursor");
    cursor.add("timedOut", static_cast<std::int64_t>(cursors.timed_out));
    cursor.add("totalOpened", static_cast<std::int64_t>(cursors.opened));
    bson::Writer open = cursor.document("open");
    open.add("noTimeout", static_cast<std::int64_t>(cursors.no_timeout));
    open.add("pinned", static_cast<std::int64_t>(cursors.in_use));
    open.add("total", static_cast<std::int64_t>(cursors.open));
    open.add("bytes", static_cast<std::int64_t>(server.cursors.memory()));
  }
  {
    bson::Writer executor = section.document("queryExecutor");
    executor.add("scanned", counts.keys_examined);
    executor.add("scannedObjects", counts.docs_examined);
  }
  const shards::TtlMonitor::Figures expired = server.store.ttl().figures();
  bson::Writer ttl = section.document("ttl");
  ttl.add("deletedDocuments", expired.deleted);
  ttl.add("passes", expired.passes);
  return {};
}

Status write_asserts(Server& server, bson::Writer& section) {
  std::int64_t failed = server.metrics.network().refused;
  for (const Command* command : all_commands()) failed += server.metrics.of(*command).failed;
  section.add("regular", std::int32_t{0});
  section.add("warning", std::int32_t{0});
  section.add("msg", std::int32_t{0});
  section.add("user", failed);
  section.add("rollovers", std::int32_t{0});
  return {};
}

const RegisterSection kOpCounters{{.name = "opcounters", .write = write_opcounters}};
const RegisterSection kLatencies{{.name = "opLatencies", .write = write_latencies}};
const RegisterSection kMetrics{{.name = "metrics", .write = write_metrics}};
const RegisterSection kAsserts{{.name = "asserts", .write = write_asserts}};

}  // namespace
}  // namespace partita::commands
