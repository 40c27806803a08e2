// SPDX-License-Identifier: GPL-3.0-or-later
//
// What lies underneath: storageEngine, wiredTiger.
#include "commands/server.h"
#include "commands/server_status/section.h"
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
  }
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
