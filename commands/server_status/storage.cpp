// SPDX-License-Identifier: GPL-3.0-or-later
//
// What lies underneath: storageEngine, wiredTiger.
#include <algorithm>
#include <array>

#include "commands/server.h"
#include "commands/server_status/activity.h"
#include "commands/server_status/section.h"
#include "commands/settings/server_parameters.h"
#include "shards/balance/balancer.h"
#include "shards/router/crew.h"
#include "shards/storage/repeated.h"
#include "shards/storage/statistics.h"
#include "shards/store.h"

namespace partita::commands {
namespace {

Status write_storage_engine(Server&, bson::Writer& section) {
  section.add("name", "wiredTiger");
  section.add("supportsCommittedReads", true);
  section.add("supportsSnapshotReadConcern", true);
  section.add("readOnly", false);
  section.add("persistent", true);
  return {};
}

/// The engine has moved its checkpoints to a category of their own since mongod 6.0, and tools (mongostat, exporters) read
/// them where they were.
struct Renamed {
  std::string_view there;  ///< In `transaction`, before.
  std::string_view here;   ///< In `checkpoint`, now.
};
constexpr std::array kRenamed{
    Renamed{"transaction checkpoint generation", "generation"},
    Renamed{"transaction checkpoint max time (msecs)", "max time (msecs)"},
    Renamed{"transaction checkpoint min time (msecs)", "min time (msecs)"},
    Renamed{"transaction checkpoint most recent time (msecs)", "most recent time (msecs)"},
    Renamed{"transaction checkpoint total time (msecs)", "total time (msecs)"},
    Renamed{"transaction checkpoints", "total succeed number of checkpoints"},
};

void write_renamed(bson::Writer& transaction, const std::vector<shards::Statistic>& checkpoint) {
  for (const Renamed& one : kRenamed) {
    const auto found = std::ranges::find(checkpoint, one.here, &shards::Statistic::name);
    if (found != checkpoint.end()) transaction.add(one.there, found->value);
  }
}

/// MongoDB lets so many operations into the engine at a time, and tools read from this how near it is to that. Here they are
/// the workers that do it.
void write_tickets(Server& server, bson::Writer section) {
  const auto total = static_cast<std::int32_t>(parameters::max_worker_threads.get());
  const Activity activity = count_activity(server);
  for (const auto& [name, out] : {std::pair{"write", activity.writers}, {"read", activity.active - activity.writers}}) {
    bson::Writer row = section.document(name);
    row.add("out", out);
    row.add("available", std::max(total - out, 0));
    row.add("totalTickets", total);
  }
}

/// All that WiredTiger counts, a document per category: {cache: {"bytes currently in the cache": ...}, ...}.
Status write_wired_tiger(Server& server, bson::Writer& section) {
  TRY(const shards::SessionLease session, shards::SessionLease::take(server.store.engine()));
  std::map<std::string_view, std::vector<shards::Statistic>> categories;
  CHECK_OK(shards::each_statistic(*session, [&](const shards::Statistic& statistic) {
    categories[statistic.category].push_back(statistic);
  }));
  for (const auto& [category, statistics] : categories) {
    bson::Writer row = section.document(category);
    for (const shards::Statistic& statistic : statistics) row.add(statistic.name, statistic.value);
    if (category == "transaction") write_renamed(row, categories["checkpoint"]);
  }
  write_tickets(server, section.document("concurrentTransactions"));
  return {};
}

/// What no MongoDB has a word for.
Status write_partita(Server& server, bson::Writer& section) {
  const auto snapshot = server.store.catalog().share();
  std::int64_t collections = 0;
  std::int64_t partitions = 0;
  for (const auto& collection : snapshot->all()) {
    ++collections;
    partitions += static_cast<std::int64_t>(collection->partitions.size());
  }
  section.add("version", PARTITA_VERSION);
  section.add("catalogVersion", static_cast<std::int64_t>(snapshot->version));
  section.add("collections", collections);
  section.add("partitions", partitions);
  const shards::Repeated& taken = server.store.checkpoints();
  bson::Writer checkpoints = section.document("checkpoints");
  checkpoints.add("done", taken.done());
  checkpoints.add("failed", taken.failed());
  checkpoints.close();
  const shards::Balancer::Figures figures = server.store.balancer().figures();
  bson::Writer balancer = section.document("balancer");
  balancer.add("active", server.store.balancer().active());
  balancer.add("splits", figures.splits);
  balancer.add("merges", figures.merges);
  balancer.add("failed", figures.failed);
  balancer.add("pausesMicros", figures.pauses_us);
  balancer.add("longestPauseMicros", figures.longest_pause_us);
  balancer.close();
  // What queries hold: none of it when nothing runs.
  section.document("sessions").add("inUse", static_cast<std::int64_t>(server.store.engine().sessions_in_use()));
  bson::Writer legs = section.document("legThreads");
  legs.add("total", static_cast<std::int64_t>(server.leg_threads.threads()));
  legs.add("helping", shards::Crew::helping());
  legs.add("waiting", static_cast<std::int64_t>(server.leg_threads.waiting()));
  return {};
}

const RegisterSection kStorageEngine{{.name = "storageEngine", .write = write_storage_engine}};
const RegisterSection kWiredTiger{{.name = "wiredTiger", .write = write_wired_tiger}};
const RegisterSection kPartita{{.name = "partita", .write = write_partita}};

}  // namespace
}  // namespace partita::commands
